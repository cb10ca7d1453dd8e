"""What is measured: `make bench` runs every `bench_*.py` in this folder, each in a process of its own."""
