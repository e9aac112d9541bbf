"""Payload files: where their bytes are, the format of each, and a reader for each format."""
