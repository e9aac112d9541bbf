//! Lists the folders of `src/impairment` and the files of `src/trace/data_set` as modules, in the
//! order of their names.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let is_folder = |path: &Path| path.join("mod.rs").is_file().then(|| path.join("mod.rs"));
    list("impairment", "impairments.rs", is_folder)?;
    let is_file = |path: &Path| {
        let has_name = path.extension().is_some_and(|end| end == "rs");
        let is_own = path
            .file_stem()
            .is_some_and(|name| name == "mod" || name == "tests");
        (has_name && !is_own).then(|| path.to_path_buf())
    };
    list("trace/data_set", "data_sets.rs", is_file)
}

/// Write the modules of a folder, and a call of `registry!` with their names. `file_of` gives the
/// file of a module, and None for other entries.
fn list(from: &str, to: &str, file_of: fn(&Path) -> Option<PathBuf>) -> io::Result<()> {
    let variable = |name: &str| env::var(name).expect("set by cargo");
    let folder = Path::new(&variable("CARGO_MANIFEST_DIR"))
        .join("src")
        .join(from);
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut modules: Vec<(String, PathBuf)> = fs::read_dir(&folder)?
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            Some((path.file_stem()?.to_str()?.to_string(), file_of(&path)?))
        })
        .collect();
    modules.sort();
    let declared: String = modules
        .iter()
        .map(|(name, path)| format!("#[path = {path:?}]\npub mod {name};\n"))
        .collect();
    let names: Vec<&str> = modules.iter().map(|(name, _)| name.as_str()).collect();
    let out = Path::new(&variable("OUT_DIR")).join(to);
    fs::write(out, format!("{declared}registry!({});\n", names.join(" ")))
}
