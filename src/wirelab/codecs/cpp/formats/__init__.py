"""One module for each unit of packs/cpp/codecs, with the same name: `UNIT` declares its codecs."""
