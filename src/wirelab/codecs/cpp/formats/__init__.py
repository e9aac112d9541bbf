"""One module for each unit of packs/cpp/codecs, of its name: `UNIT` declares its codecs."""
