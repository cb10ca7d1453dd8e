"""Importers: logs of other tools become events of this format, so that a rig needs no harness of its own to begin."""
