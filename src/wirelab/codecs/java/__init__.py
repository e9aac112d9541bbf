"""Java codecs: generates, compiles and runs a payload's pack in the JVM."""
