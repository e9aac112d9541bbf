//! Codecs written by hand: `by-hand CORPUS TASK CODEC...`.
//!
//! TASK is `bytes` (print those of each message, in hexadecimal), a number of seconds (time both
//! phases for as long and print a JSON line for each), or a phase and how often to do it with every
//! message, `convert:100`.

#[macro_use]
mod message;

mod capnp_message;
mod codec;
mod convert;
mod flatbuffers_message;
mod positional;
mod schemas;
mod tables;
mod upb_message;
mod uper_schema;
mod with_names;
mod xdr;

use codec::{Failure, Task};

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let (Some(corpus), Some(task)) = (words.next(), words.next()) else {
        return Err("by-hand CORPUS TASK CODEC...".into());
    };
    let (text, task) = (std::fs::read_to_string(corpus)?, task.parse()?);
    words.try_for_each(|name| work(&name, &text, &task))
}

fn work(name: &str, text: &str, task: &Task) -> Result<(), Failure> {
    let work = match name {
        "json/serde_json" => codec::work::<with_names::SerdeJson>,
        "json/sonic-rs" => codec::work::<with_names::SonicRs>,
        "cbor/ciborium" => codec::work::<with_names::Ciborium>,
        "cbor/cbor4ii" => codec::work::<with_names::Cbor4ii>,
        "msgpack/rmp-serde" => codec::work::<with_names::RmpSerde>,
        "bson/bson" => codec::work::<with_names::Bson>,
        "smile/serde-smile" => codec::work::<with_names::SerdeSmile>,
        "yaml/serde-saphyr" => codec::work::<with_names::SerdeSaphyr>,
        "flexbuffers/flexbuffers" => codec::work::<with_names::FlexBuffers>,
        "ion/ion-rs" => codec::work::<with_names::IonRs>,
        "avro/serde_avro_fast" => codec::work::<positional::SerdeAvroFast>,
        "postcard/postcard" => codec::work::<positional::Postcard>,
        "bitcode/bitcode" => codec::work::<positional::Bitcode>,
        "rkyv/rkyv" => codec::work::<positional::Rkyv>,
        "xdr/rfc4506" => codec::work::<xdr::Xdr>,
        "protobuf/prost" => codec::work::<tables::Prost>,
        "protobuf/protobuf-upb" => codec::work::<tables::Upb>,
        "flatbuffers/flatbuffers" => codec::work::<tables::FlatBuffers>,
        "capnp/capnp" => codec::work::<tables::CapnProto>,
        "capnp/capnp-packed" => codec::work::<tables::Packed>,
        "thrift/thrift-compact" => codec::work::<tables::Compact>,
        "thrift/thrift-binary" => codec::work::<tables::Binary>,
        "uper/rasn" => codec::work::<tables::Uper>,
        _ => return Err(format!("{name} is not written by hand").into()),
    };
    work(name, text, task)
}
