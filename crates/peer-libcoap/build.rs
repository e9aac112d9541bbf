//! Compiles the part of the peer that needs libcoap's headers, and links Debian's build of libcoap
//! with OpenSSL.

use std::path::Path;

fn main() {
    assert!(
        Path::new("/usr/include/coap3/coap.h").exists(),
        "libcoap headers not found: apt install libcoap3-dev"
    );
    cc::Build::new()
        .files(["src/common.c", "src/client.c", "src/server.c"])
        .warnings_into_errors(true)
        .compile("wirelab_libcoap");
    println!("cargo::rustc-link-lib=coap-3-openssl");
    for file in ["common.c", "client.c", "server.c", "shim.h"] {
        println!("cargo::rerun-if-changed=src/{file}");
    }
}
