//! A file that is not a pack is refused with a message that names it.

use wirelab_codec::Pack;

fn refusal(path: &str) -> String {
    match Pack::load(path) {
        Ok(_) => panic!("{path} loaded"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_file_that_is_no_library_is_refused_by_name() {
    let sentence = refusal(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    assert!(sentence.contains("/Cargo.toml: "), "{sentence}");
    assert!(
        sentence.contains("invalid ELF header") || sentence.contains("file too short"),
        "{sentence}"
    );
}

#[test]
fn a_missing_pack_is_refused_by_name() {
    assert!(refusal("/nonexistent/libpack.so").starts_with("codec pack /nonexistent/libpack.so: "));
}

#[test]
fn a_library_that_is_no_pack_is_refused_by_the_function_it_lacks() {
    let sentence = refusal("libc.so.6");
    assert!(sentence.contains("wl_abi_version"), "{sentence}");
}
