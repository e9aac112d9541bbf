"""Schema evolution measured: the writer of one version of a schema, the reader of another."""
