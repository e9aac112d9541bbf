"""One module per module of packs/rust/pack/src, by the same name: `MODULE` declares its codecs."""
