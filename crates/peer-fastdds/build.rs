//! Compiles the part of the peer that needs Fast DDS's headers, and links Debian's build of Fast
//! DDS.

use std::path::Path;

fn main() {
    assert!(
        Path::new("/usr/include/fastdds/dds/domain/DomainParticipant.hpp").exists(),
        "Fast DDS headers not found: apt install libfastrtps-dev"
    );
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .file("src/shim.cpp")
        .extra_warnings(true)
        .warnings_into_errors(true)
        .compile("wirelab_fastdds");
    println!("cargo::rustc-link-lib=fastrtps");
    for file in ["shim.cpp", "message.hpp"] {
        println!("cargo::rerun-if-changed=src/{file}");
    }
}
