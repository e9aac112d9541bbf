//! Generates the message type with Debian's idlc, and compiles it with the part of the peer that
//! needs Cyclone's headers.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let status = Command::new("idlc")
        .arg("-o")
        .arg(&out)
        .arg("src/message.idl")
        .status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "idlc does not run: apt install cyclonedds-tools cyclonedds-dev"
    );
    cc::Build::new()
        .file("src/shim.c")
        .file(out.join("message.c"))
        .include(&out)
        .warnings_into_errors(true)
        .compile("wirelab_dds");
    println!("cargo::rustc-link-lib=ddsc");
    for file in ["shim.c", "message.idl"] {
        println!("cargo::rerun-if-changed=src/{file}");
    }
}
