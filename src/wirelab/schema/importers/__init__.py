"""Schemas that a user has already, read into ours: Protobuf's .proto, Avro's .avsc, JSON Schema."""
