//! The codec bench.
fn main() {}
