//! Runs the official plugin on the output of `capnp compile` to generate Rust for a payload's Cap'n
//! Proto schema.

fn main() {
    println!("cargo::rerun-if-changed=src/generated/structs.request");
    #[cfg(feature = "capnp")]
    capnp();
}

#[cfg(feature = "capnp")]
fn capnp() {
    let request = std::fs::File::open("src/generated/structs.request").expect("the schema, compiled");
    let folder = std::env::var_os("OUT_DIR").expect("cargo names a folder");
    capnpc::codegen::CodeGenerationCommand::new()
        .output_directory(folder)
        .default_parent_module(vec!["generated".into(), "capnp".into()])
        .run(request)
        .expect("code for the schema");
}
