//! Lists the folders of `src/impairment` as modules, in the order of their names.

use std::path::Path;
use std::{env, fs};

fn main() -> std::io::Result<()> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo"))
        .join("src")
        .join("impairment");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names: Vec<String> = fs::read_dir(&folder)?
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            path.join("mod.rs")
                .is_file()
                .then(|| Some(path.file_name()?.to_str()?.to_string()))?
        })
        .collect();
    names.sort();
    let modules: String = names
        .iter()
        .map(|name| {
            let path = folder.join(name).join("mod.rs");
            format!("#[path = {path:?}]\npub mod {name};\n")
        })
        .collect();
    let out = Path::new(&env::var("OUT_DIR").expect("set by cargo")).join("impairments.rs");
    fs::write(out, format!("{modules}registry!({});\n", names.join(" ")))
}
