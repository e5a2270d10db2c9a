"""What fits beyond memory and beyond one machine must reach; `benchmarks/scale.py` runs it."""
