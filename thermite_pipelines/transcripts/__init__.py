"""Session files of other tools: who said what, read in bounded memory, whatever state the file is in."""
