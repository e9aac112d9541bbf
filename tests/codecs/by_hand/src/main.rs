//! Times codecs written by hand: `by-hand CORPUS SECONDS CODEC...` prints a JSON line per codec and phase.
//!
//! With 0 seconds it prints the bytes of each message instead, in hexadecimal.

mod capnp_message;
mod codec;
mod flatbuffers_message;
mod message;
mod positional;
mod prost_message;
mod schemas;
mod tables;
mod thrift_message;
mod upb_message;
mod uper_message;
mod uper_schema;
mod with_names;
mod xdr;

use codec::Failure;

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let (Some(corpus), Some(seconds)) = (words.next(), words.next()) else {
        return Err("by-hand CORPUS SECONDS CODEC...".into());
    };
    let (text, seconds) = (std::fs::read_to_string(corpus)?, seconds.parse()?);
    words.try_for_each(|name| measure(&name, &text, seconds))
}

fn measure(name: &str, text: &str, seconds: f64) -> Result<(), Failure> {
    let run = match name {
        "json/serde_json" => codec::measure::<with_names::SerdeJson>,
        "json/sonic-rs" => codec::measure::<with_names::SonicRs>,
        "cbor/ciborium" => codec::measure::<with_names::Ciborium>,
        "cbor/cbor4ii" => codec::measure::<with_names::Cbor4ii>,
        "msgpack/rmp-serde" => codec::measure::<with_names::RmpSerde>,
        "bson/bson" => codec::measure::<with_names::Bson>,
        "smile/serde-smile" => codec::measure::<with_names::SerdeSmile>,
        "yaml/serde-saphyr" => codec::measure::<with_names::SerdeSaphyr>,
        "flexbuffers/flexbuffers" => codec::measure::<with_names::FlexBuffers>,
        "ion/ion-rs" => codec::measure::<with_names::IonRs>,
        "avro/serde_avro_fast" => codec::measure::<positional::SerdeAvroFast>,
        "postcard/postcard" => codec::measure::<positional::Postcard>,
        "bitcode/bitcode" => codec::measure::<positional::Bitcode>,
        "rkyv/rkyv" => codec::measure::<positional::Rkyv>,
        "xdr/rfc4506" => codec::measure::<xdr::Xdr>,
        "protobuf/prost" => codec::measure::<tables::Prost>,
        "protobuf/protobuf-upb" => codec::measure::<tables::Upb>,
        "flatbuffers/flatbuffers" => codec::measure::<tables::FlatBuffers>,
        "capnp/capnp" => codec::measure::<tables::CapnProto>,
        "capnp/capnp-packed" => codec::measure::<tables::Packed>,
        "thrift/thrift-compact" => codec::measure::<tables::Compact>,
        "thrift/thrift-binary" => codec::measure::<tables::Binary>,
        "uper/rasn" => codec::measure::<tables::Uper>,
        _ => return Err(format!("{name} is not written by hand").into()),
    };
    run(name, text, seconds)
}
