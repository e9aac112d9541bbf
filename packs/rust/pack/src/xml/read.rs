//! Reads elements into native objects.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesRef, BytesStart, Event};
use serde::Deserializer;
use serde::de::{self, DeserializeSeed, Visitor};

use wirelab_pack_runtime::error::{Error, broken, unused};

use super::{ALTERNATIVE, NIL, key};

/// What a start tag says of its element: whether it is null, and which alternative of a union it
/// is.
#[derive(Default)]
pub struct Head {
    is_nil: bool,
    alternative: Option<Box<str>>,
}

impl Head {
    #[inline]
    pub fn of(start: &BytesStart<'_>) -> Result<Self, Error> {
        let mut head = Self::default();
        for attribute in start.attributes() {
            let Attribute { key, value } = attribute.map_err(broken)?;
            if key.0 == NIL.0 && value == NIL.1 {
                head.is_nil = true;
            } else if key.0 == ALTERNATIVE {
                head.alternative = Some(value.into_owned().into_boxed_str());
            }
        }
        Ok(head)
    }
}

/// Reads the content of an element whose start tag has been read, and its end tag.
pub struct Content<'a, 'de> {
    pub xml: &'a mut Reader<&'de [u8]>,
    pub head: Head,
}

impl<'de> Content<'_, 'de> {
    fn text(self) -> Result<Cow<'de, str>, Error> {
        let mut text = Cow::Borrowed("");
        loop {
            match self.xml.read_event().map_err(broken)? {
                Event::Text(part) => append(&mut text, part.xml10_content()),
                Event::GeneralRef(part) => append(&mut text, Cow::Owned(resolved(&part)?.to_string())),
                Event::End(_) => return Ok(text),
                other => return Err(broken(format_args!("{other:?} where text must stand"))),
            }
        }
    }

    /// The next child element; `None` at the end tag.
    fn next(&mut self) -> Result<Option<BytesStart<'de>>, Error> {
        match self.xml.read_event().map_err(broken)? {
            Event::Start(start) => Ok(Some(start)),
            Event::End(_) => Ok(None),
            other => Err(broken(format_args!("{other:?} where an element must stand"))),
        }
    }
}

fn append<'de>(text: &mut Cow<'de, str>, part: Cow<'de, str>) {
    if text.is_empty() {
        *text = part;
    } else {
        text.to_mut().push_str(&part);
    }
}

fn resolved(reference: &BytesRef<'_>) -> Result<char, Error> {
    if let Some(sign) = reference.resolve_char_ref().map_err(broken)? {
        return Ok(sign);
    }
    match &**reference {
        "amp" => Ok('&'),
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        _ => Err(broken("an entity that XML does not define")),
    }
}

struct Children<'a, 'de> {
    content: Content<'a, 'de>,
    head: Head,
}

impl<'de> de::SeqAccess<'de> for Children<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(start) = self.content.next()? else {
            return Ok(None);
        };
        let head = Head::of(&start)?;
        seed.deserialize(Content { xml: self.content.xml, head }).map(Some)
    }
}

impl<'de> de::MapAccess<'de> for Children<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(start) = self.content.next()? else {
            return Ok(None);
        };
        self.head = Head::of(&start)?;
        let key = key(start.name())?;
        seed.deserialize(de::value::StringDeserializer::<Error>::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Content { xml: self.content.xml, head: std::mem::take(&mut self.head) })
    }
}

macro_rules! read_numbers {
    ($($function:ident $visit:ident $number:ty;)*) => {$(
        fn $function<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let text = self.text()?;
            visitor.$visit(text.parse::<$number>().map_err(|error| broken(format_args!("'{text}': {error}")))?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Content<'_, 'de> {
    type Error = Error;

    read_numbers! {
        deserialize_bool visit_bool bool;
        deserialize_i8 visit_i8 i8; deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32; deserialize_i64 visit_i64 i64;
        deserialize_u8 visit_u8 u8; deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32; deserialize_u64 visit_u64 u64;
        deserialize_f32 visit_f32 f32; deserialize_f64 visit_f64 f64;
    }
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.text()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if !self.head.is_nil {
            return visitor.visit_some(self);
        }
        match self.text()?.len() {
            0 => visitor.visit_none(),
            _ => Err(broken("a null element has content")),
        }
    }
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Children { content: self, head: Head::default() })
    }
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(Children { content: self, head: Head::default() })
    }
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.xml.read_event().map_err(broken)? {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                Event::Eof => return Err(broken("the message ends inside an element")),
                _ => {}
            }
        }
        visitor.visit_unit()
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }
    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        unused()
    }
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self)
    }
    serde::forward_to_deserialize_any! { char bytes byte_buf unit unit_struct tuple tuple_struct identifier }
}

impl<'de> de::EnumAccess<'de> for Content<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(mut self, seed: V) -> Result<(V::Value, Self), Error> {
        let name = self.head.alternative.take().ok_or_else(|| broken("an element does not say its type"))?;
        let index = seed.deserialize(de::value::StringDeserializer::<Error>::new(name.into_string()))?;
        Ok((index, self))
    }
}

impl<'de> de::VariantAccess<'de> for Content<'_, 'de> {
    type Error = Error;

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }
    fn unit_variant(self) -> Result<(), Error> {
        unused()
    }
    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Error> {
        unused()
    }
    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Error> {
        unused()
    }
}
