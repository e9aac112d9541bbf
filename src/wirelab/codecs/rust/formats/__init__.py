"""One module for each module of the pack (packs/rust/pack/src) of the same name: its `MODULE` declares its codecs."""
