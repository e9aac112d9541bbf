//! The grammar of link texts: a profile, a trace file or a setting, then settings and modifiers,
//! separated by commas.

mod function;
mod queue;
mod rate;
mod setting;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::did_you_mean::did_you_mean;
use crate::discipline::Discipline;
use crate::error::BadLink;
use crate::profiles::{PROFILES, profile};
use crate::spec::{DirectionSpec, LinkSpec, RateSpec};
use rate::read_trace;
use setting::{scale_setting, settings};

pub(crate) use function::{check_names, parse_arguments};
pub(crate) use rate::parse_schedule;
pub(crate) use setting::Setting;

/// Reads a trace file by its name.
pub type FileReader<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, BadLink>;

/// Parse a link text. Trace files are read through `read_file`.
///
/// Errors with one sentence that quotes the faulty part.
pub fn parse_link(text: &str, read_file: FileReader) -> Result<LinkSpec, BadLink> {
    if text.len() > 4096 {
        return Err(BadLink::new("link text is longer than 4096 characters"));
    }
    let items = split_items(text)?;
    let mut link = LinkSpec {
        text: text.trim().to_string(),
        source: "as given".to_string(),
        up: DirectionSpec::IDEAL,
        down: DirectionSpec::IDEAL,
    };
    let mut settings = Settings {
        read_file,
        seen: HashSet::new(),
    };
    for (i, item) in items.iter().enumerate() {
        if settings.apply(&mut link, item)? {
            continue;
        }
        if i > 0 {
            if profile(item).is_some() {
                return Err(BadLink::new(format!(
                    "'{item}' is a complete link; it must come first"
                )));
            }
            return Err(unknown_item(item));
        }
        apply_base(&mut link, item, read_file)?;
    }
    check_consistency(&link)?;
    Ok(link)
}

/// Split at commas that are not inside parentheses.
fn split_items(text: &str) -> Result<Vec<&str>, BadLink> {
    let (mut depth, mut start, mut items) = (0i32, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                items.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    items.push(text[start..].trim());
    if depth != 0 {
        return Err(BadLink::new(format!(
            "link '{text}' has an unmatched parenthesis"
        )));
    }
    if items.iter().any(|item| item.is_empty()) {
        return Err(BadLink::new(format!(
            "link '{text}' has an empty item; write it like lte-drive,loss=5%"
        )));
    }
    Ok(items)
}

/// Apply the first item: a profile or a trace file.
fn apply_base(link: &mut LinkSpec, item: &str, read_file: FileReader) -> Result<(), BadLink> {
    if let Some(profile) = profile(item) {
        let inner = parse_link(profile.settings, read_file)?;
        (link.up, link.down) = (inner.up, inner.down);
        link.source = profile.source.to_string();
        return Ok(());
    }
    if !item.contains(['/', '.']) {
        return Err(unknown_item(item));
    }
    let rate = read_trace(item, read_file)?;
    link.source = format!("trace {item}");
    if item.ends_with(".down") {
        link.down.rate = rate;
    } else {
        link.up.rate = rate;
    }
    Ok(())
}

fn unknown_item(item: &str) -> BadLink {
    let key = item.split(['=', '*']).next().unwrap_or(item).trim();
    let bare = key.trim_start_matches("up.").trim_start_matches("down.");
    let shown: String = key.chars().take(64).collect();
    let hint = if item.contains(['=', '*']) {
        let words: Vec<&str> = settings().map(|setting| setting.word).collect();
        did_you_mean(bare, words.iter().copied(), || {
            format!("the settings are {}", words.join(", "))
        })
    } else {
        did_you_mean(key, PROFILES.iter().map(|p| p.name), || {
            "see `wirelab link profiles`, or give a trace file by its path".to_string()
        })
    };
    BadLink::new(format!("unknown link or setting '{shown}'; {hint}"))
}

struct Settings<'a> {
    read_file: FileReader<'a>,
    /// The subjects given so far, each with whether it was for `up`.
    seen: HashSet<(&'static str, bool)>,
}

impl Settings<'_> {
    /// Apply `[up.|down.]key=value` or `[up.|down.]key*factor`. Returns false if the item is
    /// neither.
    fn apply(&mut self, link: &mut LinkSpec, item: &str) -> Result<bool, BadLink> {
        let Some(at) = item.find(['=', '*']) else {
            return Ok(false);
        };
        let (name, value) = (item[..at].trim(), item[at + 1..].trim());
        let scale = item[at..].starts_with('*');
        let (key, up, down) = match (name.strip_prefix("up."), name.strip_prefix("down.")) {
            (Some(key), _) => (key, true, false),
            (_, Some(key)) => (key, false, true),
            _ => (name, true, true),
        };
        let Some(setting) = settings().find(|setting| setting.word == key) else {
            return Ok(false);
        };
        if setting.both_directions && !(up && down) {
            return Err(BadLink::new(format!(
                "'{item}': {key} applies to both directions; give delay or jitter for one"
            )));
        }
        let sides = [(up, &mut link.up), (down, &mut link.down)];
        for (is_up, direction) in sides
            .into_iter()
            .enumerate()
            .filter(|(_, (wanted, _))| *wanted)
            .map(|(i, (_, s))| (i == 0, s))
        {
            if scale {
                scale_setting(direction, setting, value)?;
                continue;
            }
            let subject = setting.subject;
            if subject == "rate" && self.seen.contains(&("outage", is_up)) {
                return Err(BadLink::new(format!(
                    "'{item}' comes after the outage of that rate; give the rate first"
                )));
            }
            if !self.seen.insert((subject, is_up)) {
                return Err(BadLink::new(format!(
                    "'{item}': {subject} is given twice for one direction; give it once"
                )));
            }
            (setting.set)(direction, value, self.read_file)?;
        }
        Ok(true)
    }
}

fn check_consistency(link: &LinkSpec) -> Result<(), BadLink> {
    for (name, direction) in [("up", &link.up), ("down", &link.down)] {
        if direction.rate == RateSpec::Unlimited
            && (direction.queue, direction.discipline)
                != (DirectionSpec::IDEAL.queue, Discipline::DropTail)
        {
            return Err(BadLink::new(format!(
                "link '{}': {name} has a queue but no rate, so it never fills; give a rate",
                link.text
            )));
        }
    }
    Ok(())
}
