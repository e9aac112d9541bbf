//! Values of the form `name(key=value,...)`.

use crate::did_you_mean::did_you_mean;
use crate::error::BadLink;

/// The `key=value` pairs in `name(...)`. None if the text has another form.
pub(crate) fn parse_arguments<'a>(
    text: &'a str,
    name: &str,
) -> Result<Option<Vec<(&'a str, &'a str)>>, BadLink> {
    let Some(inner) = text
        .strip_prefix(name)
        .and_then(|t| t.trim().strip_prefix('('))
    else {
        return Ok(None);
    };
    let inner = inner
        .strip_suffix(')')
        .ok_or_else(|| BadLink::new(format!("'{text}' does not end with a parenthesis")))?;
    if inner.trim().is_empty() {
        return Ok(Some(vec![]));
    }
    let pair = |part: &'a str| {
        part.split_once('=')
            .map(|(k, v)| (k.trim(), v.trim()))
            .ok_or_else(|| BadLink::new(format!("'{part}' in '{text}' is not key=value")))
    };
    inner
        .split(',')
        .map(pair)
        .collect::<Result<_, _>>()
        .map(Some)
}

pub(crate) fn check_names(pairs: &[(&str, &str)], names: &[&str], of: &str) -> Result<(), BadLink> {
    for (i, (key, _)) in pairs.iter().enumerate() {
        if !names.contains(key) {
            let hint = did_you_mean(key, names.iter().copied(), || {
                format!("it has {}", names.join(", "))
            });
            return Err(BadLink::new(format!(
                "unknown '{key}' in {of}(...); {hint}"
            )));
        }
        if pairs[..i].iter().any(|(other, _)| other == key) {
            return Err(BadLink::new(format!(
                "{key} is given twice in {of}(...); give it once"
            )));
        }
    }
    Ok(())
}

pub(super) fn find_value<'a>(pairs: &[(&str, &'a str)], name: &str) -> Option<&'a str> {
    pairs
        .iter()
        .find(|(key, _)| *key == name)
        .map(|(_, value)| *value)
}
