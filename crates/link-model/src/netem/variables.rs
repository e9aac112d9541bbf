//! Shell variables of a script of tc commands, where the script itself says their values.

use std::collections::BTreeMap;

use crate::error::BadLink;

const LONGEST_VALUE: usize = 256;
/// Defaults within defaults: `${1:-${DELAY:-10ms}}`.
const DEEPEST: usize = 8;

/// A script with the values of its variables in their places, and a note per variable.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Substituted {
    pub text: String,
    pub notes: Vec<String>,
}

/// Put the values of variables in their places: `DELAY=10ms`, `${1:-10ms}`, `: "${DELAY:=10ms}"`.
///
/// Other variables stay as they are. Errors for a variable that the script gives several values,
/// since which of them holds depends on how it is run.
pub(super) fn substitute(text: &str) -> Result<Substituted, BadLink> {
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    let mut several: BTreeMap<String, String> = BTreeMap::new();
    let mut used: BTreeMap<String, String> = BTreeMap::new();
    let mut lines = Vec::new();
    for line in text.split('\n') {
        for statement in line.split(';') {
            if let Some((name, value)) = assignment(statement) {
                let value = expand(value, &values, &mut BTreeMap::new(), DEEPEST);
                if value.contains(['$', '`']) || value.len() > LONGEST_VALUE {
                    continue;
                }
                match values.insert(name.to_string(), value.clone()) {
                    Some(before) if before != value => {
                        several.insert(name.to_string(), before);
                    }
                    _ => {}
                }
            }
        }
        let is_tc = line.contains("tc ") || line.trim_end().ends_with('\\') || is_rest_of(&lines);
        lines.push(if is_tc {
            expand(line, &values, &mut used, DEEPEST).replace(['"', '\''], "")
        } else {
            line.to_string()
        });
    }
    if let Some((name, before)) = several.iter().find(|(name, _)| used.contains_key(*name)) {
        return Err(BadLink::new(format!(
            "the script gives ${name} several values, {before} and {}; put the one that is meant in its place",
            values[name]
        )));
    }
    let notes = used
        .iter()
        .map(|(name, value)| format!("${name} is {value}, as the script says"));
    Ok(Substituted {
        text: lines.join("\n"),
        notes: notes.collect(),
    })
}

/// Whether the next line goes on with the command before it.
fn is_rest_of(lines: &[String]) -> bool {
    lines
        .last()
        .is_some_and(|line| line.trim_end().ends_with('\\'))
}

/// The name and the value of `NAME=VALUE`, `export NAME="VALUE"` or `: "${NAME:=VALUE}"`.
pub(super) fn assignment(statement: &str) -> Option<(&str, &str)> {
    let mut text = statement.split(" #").next()?.trim();
    if let Some(rest) = text.strip_prefix(": ") {
        let inner = rest
            .trim()
            .trim_matches('"')
            .strip_prefix("${")?
            .strip_suffix('}')?;
        let (name, value) = inner.split_once(":=").or_else(|| inner.split_once('='))?;
        return is_name(name).then_some((name, value));
    }
    for word in ["export ", "local ", "readonly ", "declare "] {
        text = text.strip_prefix(word).unwrap_or(text).trim_start();
    }
    let (name, value) = text.split_once('=')?;
    let quoted = ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    let value = quoted.unwrap_or(value);
    let is_one = quoted.is_some() || !value.contains(char::is_whitespace);
    (is_name(name) && is_one).then_some((name, value))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A text with the known variables replaced, which are added to `used`.
fn expand(
    text: &str,
    values: &BTreeMap<String, String>,
    used: &mut BTreeMap<String, String>,
    depth: usize,
) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        made.push_str(&rest[..at]);
        rest = &rest[at..];
        let (whole, name, default) = reference(rest);
        let value = values.get(name).cloned().or_else(|| {
            let default = default.filter(|_| depth > 0)?;
            Some(expand(default, values, &mut BTreeMap::new(), depth - 1))
        });
        match value {
            Some(value) if !name.is_empty() => {
                made.push_str(&value);
                used.insert(name.to_string(), value);
            }
            // In braces, as quotes that end it are taken out.
            _ if whole == name.len() + 1 && !name.is_empty() => {
                made.push_str(&format!("${{{name}}}"));
            }
            _ => made.push_str(&rest[..whole]),
        }
        rest = &rest[whole..];
    }
    made + rest
}

/// The first variable in a word, as a script has it.
pub(super) fn first(word: &str) -> String {
    let at = word.find(['$', '`']).unwrap_or_default();
    let text = &word[at..];
    let (whole, name, _) = if text.starts_with('$') {
        reference(text)
    } else {
        (text.len(), "", None)
    };
    if name.is_empty() {
        text[..whole].chars().take(24).collect()
    } else {
        format!("${name}")
    }
}

/// The length of the reference at the start of a text, its name, and the value that `:-` gives it.
fn reference(text: &str) -> (usize, &str, Option<&str>) {
    let Some(inside) = text.strip_prefix("${") else {
        let name = &text[1..];
        let end = name
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(name.len());
        return (1 + end, &name[..end], None);
    };
    let mut depth = 1;
    let end = inside.char_indices().find(|&(_, c)| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    });
    let Some((end, _)) = end else {
        return (1, "", None);
    };
    let inner = &inside[..end];
    let (name, default) = match inner.split_once(":-").or_else(|| inner.split_once('-')) {
        Some((name, default)) => (name, Some(default)),
        None => (inner, None),
    };
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (end + 3, if is_plain { name } else { "" }, default)
}
