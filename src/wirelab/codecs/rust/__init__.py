"""Generation of Rust code from a schema: one module per format, plus the native objects they all start from."""
