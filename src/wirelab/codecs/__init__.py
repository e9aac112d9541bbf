"""Codecs: which there are, the pack generated and compiled for a payload, and what they cost."""
