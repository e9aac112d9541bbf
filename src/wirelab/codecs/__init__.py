"""Codecs: their registry, the pack generated and compiled for a payload, and their measurement."""
