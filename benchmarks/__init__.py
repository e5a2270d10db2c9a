"""Speed, memory and quality against peers, as ratios within one run; see README.md."""
