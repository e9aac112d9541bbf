"""What codecs, lab and engine need of the operating system: our programs, and children that end."""
