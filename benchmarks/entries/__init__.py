"""One file per benchmark; each defines `ENTRY`, and the runner finds it by its file name."""
