"""What a message costs a microcontroller: C codecs from a schema, built and run on simulated chips."""
