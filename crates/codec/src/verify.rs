//! The round trip: JSON in must equal JSON out; every difference is reported as a named loss.
//! Numbers are compared by their text, which a 64-bit float does not hold.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;
use wirelab_codec::Error;

use crate::number::same_number;
use crate::{Loaded, print};

/// A map with varying keys would otherwise report a loss for each key.
const MAX_LOSSES: usize = 50;

#[derive(Serialize)]
struct Verdict<'a> {
    codec: &'a str,
    messages: usize,
    /// Number of messages that came back equal.
    equal: usize,
    /// Sum of the checksums of all messages, in hexadecimal; equal for every codec that reads every
    /// field.
    checksum: String,
    losses: Vec<Loss>,
    /// Why a message could not be encoded or decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
}

/// One kind of difference at one path.
#[derive(Serialize)]
struct Loss {
    path: String,
    kind: &'static str,
    /// Number of messages in which it occurs.
    count: usize,
    /// The first occurrence: message index, value before, value after.
    message: usize,
    sent: String,
    received: String,
}

/// Compares every message with its round trip, and prints one line per codec.
pub fn run(loaded: &Loaded) -> Result<(), Error> {
    let sent = parse(&loaded.text)?;
    for codec in &loaded.codecs {
        let mut verdict = Verdict {
            codec,
            messages: sent.len(),
            equal: 0,
            checksum: String::new(),
            losses: Vec::new(),
            failed: None,
        };
        match round_trip(loaded, codec, &sent, &mut verdict.equal) {
            Ok((losses, checksum)) => {
                verdict.losses = losses;
                verdict.checksum = format!("{checksum:016x}");
            }
            Err(error) => verdict.failed = Some(error.to_string()),
        }
        print(&verdict)?;
    }
    Ok(())
}

fn parse(text: &[u8]) -> Result<Vec<&RawValue>, Error> {
    text.split(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty())
        .map(|line| {
            serde_json::from_slice(line).map_err(|error| Error::Pack(format!("corpus: {error}")))
        })
        .collect()
}

fn round_trip(
    loaded: &Loaded,
    codec: &str,
    sent: &[&RawValue],
    equal: &mut usize,
) -> Result<(Vec<Loss>, u64), Error> {
    let mut session = loaded.corpus.session(codec)?;
    let mut found: BTreeMap<(String, &'static str), Loss> = BTreeMap::new();
    let mut total = 0_u64;
    for (index, before) in sent.iter().enumerate() {
        let located = |error: Error| Error::Pack(format!("message {index}: {error}"));
        let bytes = session.encode(index).map_err(located)?.to_vec();
        total = total.wrapping_add(session.decode(&bytes).map_err(located)?);
        let json = session.to_json(&bytes).map_err(located)?;
        let after = serde_json::from_slice(json)
            .map_err(|error| located(Error::Pack(error.to_string())))?;
        let mut differences = Vec::new();
        compare(Some(before), Some(after), "$", &mut differences);
        *equal += usize::from(differences.is_empty());
        for loss in differences {
            let room = found.len() < MAX_LOSSES;
            match found.get_mut(&(loss.path.clone(), loss.kind)) {
                Some(known) if known.message != index => {
                    known.message = known.message.min(index);
                    known.count += 1;
                }
                Some(_) => {}
                None if room => {
                    found.insert(
                        (loss.path.clone(), loss.kind),
                        Loss {
                            message: index,
                            count: 1,
                            ..loss
                        },
                    );
                }
                None => {}
            }
        }
    }
    Ok((found.into_values().collect(), total))
}

/// One level of a JSON value.
enum Level<'a> {
    Null,
    Bool,
    Number(&'a str),
    Text(String),
    List(Vec<&'a RawValue>),
    Object(BTreeMap<String, &'a RawValue>),
}

impl<'a> Level<'a> {
    /// The text of a raw value is valid JSON, so that reading it cannot fail.
    fn of(value: &'a RawValue) -> Self {
        let text = value.get();
        match text.as_bytes().first() {
            Some(b'{') => Self::Object(serde_json::from_str(text).unwrap_or_default()),
            Some(b'[') => Self::List(serde_json::from_str(text).unwrap_or_default()),
            Some(b'"') => Self::Text(serde_json::from_str(text).unwrap_or_default()),
            Some(b't' | b'f') => Self::Bool,
            Some(b'n') => Self::Null,
            _ => Self::Number(text),
        }
    }
}

fn compare(before: Option<&RawValue>, after: Option<&RawValue>, path: &str, out: &mut Vec<Loss>) {
    let text = |value: Option<&RawValue>| value.map(|raw| raw.get().to_owned());
    if before.map(RawValue::get) == after.map(RawValue::get) {
        return;
    }
    match (before.map(Level::of), after.map(Level::of)) {
        (Some(Level::Object(one)), Some(Level::Object(two))) => {
            for key in one
                .keys()
                .chain(two.keys().filter(|key| !one.contains_key(*key)))
            {
                let (one, two) = (one.get(key).copied(), two.get(key).copied());
                compare(one, two, &format!("{path}.{key}"), out);
            }
        }
        (Some(Level::List(one)), Some(Level::List(two))) if one.len() == two.len() => {
            let inner = format!("{path}[]");
            one.into_iter()
                .zip(two)
                .for_each(|(one, two)| compare(Some(one), Some(two), &inner, out));
        }
        (Some(Level::Number(one)), Some(Level::Number(two))) if same_number(one, two) => {}
        (Some(Level::Text(one)), Some(Level::Text(two))) if one == two => {}
        (one, two) => out.push(Loss {
            path: path.to_owned(),
            kind: kind(one.as_ref(), two.as_ref()),
            count: 1,
            message: 0,
            sent: shown(text(before)),
            received: shown(text(after)),
        }),
    }
}

fn kind(before: Option<&Level<'_>>, after: Option<&Level<'_>>) -> &'static str {
    match (before, after) {
        (None, Some(Level::Null)) => "absent became null",
        (Some(Level::Null), None) => "null became absent",
        (Some(Level::List(items)), None) if items.is_empty() => "empty list became absent",
        (Some(Level::List(items)), Some(Level::Null)) if items.is_empty() => {
            "empty list became null"
        }
        (Some(Level::Object(items)), None) if items.is_empty() => "empty object became absent",
        (Some(Level::Object(items)), Some(Level::Null)) if items.is_empty() => {
            "empty object became null"
        }
        (Some(_), None) => "lost",
        (None, Some(_)) => "invented",
        (Some(Level::Number(_)), Some(Level::Number(_))) => "number changed",
        (Some(Level::Text(_)), Some(Level::Text(_))) => "text changed",
        _ => "changed",
    }
}

fn shown(value: Option<String>) -> String {
    let text = value.unwrap_or_else(|| "absent".to_owned());
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(before: &str, after: &str) -> Vec<(String, &'static str)> {
        let parse = |text| serde_json::from_str::<&RawValue>(text).unwrap();
        let mut out = Vec::new();
        compare(Some(parse(before)), Some(parse(after)), "$", &mut out);
        out.into_iter().map(|loss| (loss.path, loss.kind)).collect()
    }

    #[test]
    fn equal_messages_have_no_difference_whatever_their_order_and_spelling_of_numbers() {
        assert_eq!(
            differences(r#"{"a":1,"b":[2.0,1e2]}"#, r#"{"b":[2,100],"a":1.0}"#),
            []
        );
    }

    #[test]
    fn a_loss_has_a_path_and_a_name() {
        let found = differences(r#"{"a":[{"b":null}],"c":[],"d":1}"#, r#"{"a":[{}],"d":2}"#);
        let expected = [
            ("$.a[].b", "null became absent"),
            ("$.c", "empty list became absent"),
            ("$.d", "number changed"),
        ];
        assert_eq!(found, expected.map(|(path, kind)| (path.to_owned(), kind)));
    }

    #[test]
    fn text_is_equal_however_it_is_escaped() {
        assert_eq!(differences(r#"{"a":"\u00e9"}"#, r#"{"a":"é"}"#), []);
        assert_eq!(
            differences(r#"["1.0"]"#, r#"["1.00"]"#),
            [("$[]".to_owned(), "text changed")]
        );
    }
}
