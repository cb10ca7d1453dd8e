"""Transcripts of other tools: what each file gives, and that no file breaks the reader."""
