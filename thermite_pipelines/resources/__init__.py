"""What assets need: the opened home, with the leases of a run."""
