//! Rust for the schemas of the messages, where a library writes it in a build script.

use std::path::PathBuf;

fn main() {
    let schemas = PathBuf::from(std::env::var_os("BY_HAND_SCHEMAS").expect("measure_hand_written.py names a folder"));
    println!("cargo::rerun-if-env-changed=BY_HAND_SCHEMAS");
    println!("cargo::rerun-if-changed={}", schemas.display());
    prost_build::compile_protos(&[schemas.join("structs.proto")], &[&schemas]).expect("code for the .proto");
    let request = std::fs::File::open(schemas.join("structs.request")).expect("the .capnp, compiled");
    capnpc::codegen::CodeGenerationCommand::new()
        .output_directory(std::env::var_os("OUT_DIR").expect("cargo names a folder"))
        .default_parent_module(vec!["schemas".into()])
        .run(request)
        .expect("code for the .capnp");
}
