"""Endings of the files that hold Protobuf's bytes."""

SET_SUFFIXES = (".desc", ".protoset", ".pb", ".binpb")
"""A FileDescriptorSet, as `protoc --descriptor_set_out` writes it."""
ONE_MESSAGE = (".pb", ".bin", ".binpb")
DELIMITED = (".pbs", ".delimited")
"""Concatenated messages, each after its length as a varint (writeDelimitedTo)."""
BINARY = (*ONE_MESSAGE, *DELIMITED)
