//! Amazon Ion 1.0 binary with ion-rs: keys in a symbol table at the start of each message.

use wirelab_pack_runtime::{Failure, Serde};

use crate::generated::model::Message;

pub struct IonRs;

impl Serde for IonRs {
    type Native = Message;

    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline]
    fn write(&mut self, native: &Message, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        buffer.extend_from_slice(&ion_rs::serde::to_binary(native)?);
        Ok(())
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        Ok(ion_rs::serde::from_ion(bytes)?)
    }
}
