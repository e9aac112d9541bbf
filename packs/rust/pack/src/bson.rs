//! BSON with MongoDB's crate. A document is a record or map; any other message is wrapped in a
//! field `value`.

use serde::{Deserialize, Serialize};
use wirelab_pack_runtime::{Failure, Serde};

use crate::generated::model::{IS_OBJECT, Message};

#[derive(Serialize, Deserialize)]
struct Wrapper<T> {
    value: T,
}

pub struct Bson;

impl Serde for Bson {
    type Native = Message;

    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline]
    fn write(&mut self, native: &Message, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        if IS_OBJECT {
            bson::serialize_to_buffer(native, buffer)?;
        } else {
            bson::serialize_to_buffer(&Wrapper { value: native }, buffer)?;
        }
        Ok(())
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        if IS_OBJECT {
            return Ok(bson::deserialize_from_slice(bytes)?);
        }
        Ok(bson::deserialize_from_slice::<Wrapper<Message>>(bytes)?.value)
    }
}
