"""One module for each format in Java, of its name: `FORMAT` declares its codecs."""
