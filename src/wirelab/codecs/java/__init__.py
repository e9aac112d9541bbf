"""The Java column: generating, compiling and running a payload's pack in the JVM."""
