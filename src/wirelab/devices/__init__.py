"""The cost of a message on a microcontroller: C codecs, built and run on simulated chips."""
