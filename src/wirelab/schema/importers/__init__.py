"""Importers of existing schemas: Protobuf's .proto, Avro's .avsc, JSON Schema."""
