"""What runs on a rig: its key, a small library that signs and sends reports, and importers of other tools' logs."""
