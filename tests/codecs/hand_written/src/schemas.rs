//! The code of the formats' compilers for the schemas of the messages.
#![allow(warnings, clippy::all)]

macro_rules! written {
    ($name:ident, $file:expr) => {
        pub mod $name {
            include!($file);
        }
    };
}
written!(flatbuffers, concat!(env!("BY_HAND_SCHEMAS"), "/schema_generated.rs"));
written!(prost, concat!(env!("OUT_DIR"), "/_.rs"));
written!(structs_capnp, concat!(env!("OUT_DIR"), "/structs_capnp.rs"));
written!(thrift, concat!(env!("BY_HAND_SCHEMAS"), "/structs.rs"));
written!(structs_proto, concat!(env!("BY_HAND_SCHEMAS"), "/structs.u.pb.rs"));
