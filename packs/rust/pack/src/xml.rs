//! XML with quick-xml's reader and writer, in Jackson's layout: one element per field, list items
//! in elements of the list's name inside one of the same name, null as `xsi:nil`, keys that are not
//! valid XML names in base64.

mod read;
mod write;

use std::borrow::Cow;

use quick_xml::events::Event;
use quick_xml::name::QName;
use quick_xml::{Reader, Writer};
use serde::{Deserialize, Serialize};
use wirelab_pack_runtime::error::{Error, broken};
use wirelab_pack_runtime::{Base64, Failure, Serde};

use crate::generated::model::{Message, ROOT};
use read::{Content, Head};
use write::Element;

/// The attribute of a null element.
const NIL: (&str, &str) = ("xsi:nil", "true");
/// The attribute of an element that holds one alternative of a union: which one it is.
const ALTERNATIVE: &str = "type";
const CODED: &str = "base64_tag_";

pub struct QuickXml;

impl Serde for QuickXml {
    type Native = Message;

    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline]
    fn write(&mut self, native: &Message, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        let mut out = Writer::new(buffer);
        native.serialize(Element { out: &mut out, name: &named(ROOT), alternative: None })?;
        Ok(())
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        let mut xml = Reader::from_str(std::str::from_utf8(bytes)?);
        xml.config_mut().expand_empty_elements = true;
        let Event::Start(start) = xml.read_event()? else {
            return Err("a message begins with its element".into());
        };
        let head = Head::of(&start)?;
        let message = Message::deserialize(Content { xml: &mut xml, head })?;
        match xml.read_event()? {
            Event::Eof => Ok(message),
            _ => Err("content after the message".into()),
        }
    }
}

/// A key as an element name.
fn named(key: &str) -> Cow<'_, str> {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let is_name = key.bytes().next().is_some_and(is_first) && key.bytes().all(is_inner);
    if is_name && !key.starts_with(CODED) {
        return Cow::Borrowed(key);
    }
    let text = Base64(key.as_bytes().to_vec()).to_string().replace('+', "-").replace('/', "_");
    Cow::Owned(format!("{CODED}{}", text.trim_end_matches('=')))
}

/// The key for an element name.
fn key(name: QName<'_>) -> Result<String, Error> {
    let name = name.0;
    let Some(coded) = name.strip_prefix(CODED) else {
        return Ok(name.to_owned());
    };
    let padded = coded.replace('-', "+").replace('_', "/") + &"==="[..coded.len().wrapping_neg() & 3];
    let bytes = Base64::parse(&padded).ok_or_else(|| broken(format_args!("{name} is no name of a key")))?;
    String::from_utf8(bytes.0).map_err(broken)
}
