//! Conversion of tc's commands and listings to a link text.

use super::chain;
use super::options::Options;
use super::parser::netem;
use super::statements::{self, Node};
use super::variables::{self, Substituted};
use crate::error::BadLink;

const LONGEST: usize = 1 << 16;

/// A link text, and how it differs from what tc does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Settings of `up`, the direction in which packets leave the host's device, and of `down` for
    /// a device `ifb`, through which packets come in.
    pub link: String,
    /// One sentence per difference and per word that has no equal.
    pub differences: Vec<String>,
}

/// Whether a text has commands of tc, what `tc qdisc show` prints, or netem's parameters in a line:
/// such a text is not a trace.
pub fn has_tc_commands(text: &str) -> bool {
    let are_parameters = || {
        let words: Vec<&str> = text.split_whitespace().collect();
        let words = words.strip_prefix(&["netem"]).unwrap_or(&words);
        text.trim().lines().count() == 1 && netem(words).is_ok()
    };
    statements::has_commands(text) || are_parameters()
}

/// Convert netem parameters, tc commands or a listing of `tc qdisc show`.
///
/// Errors for an unknown word, for what links do not have, and for more than one way of packets.
pub fn parse(text: &str) -> Result<Imported, BadLink> {
    if text.len() > LONGEST {
        return Err(BadLink::new(format!(
            "netem parameters longer than {LONGEST} characters"
        )));
    }
    let Substituted { text, notes } = variables::substitute(text)?;
    let text = text.as_str();
    let Some(script) = statements::read(text)? else {
        let words: Vec<&str> = text.split_whitespace().collect();
        let words = words.strip_prefix(&["netem"]).unwrap_or(&words);
        return imported(vec![("up", netem(words)?)], Vec::new());
    };
    let mut devices: Vec<(&str, &str)> = Vec::new();
    for node in &script.nodes {
        if !devices.contains(&(node.namespace, node.device)) {
            devices.push((node.namespace, node.device));
        }
    }
    if script.nodes.is_empty() && !script.deletes {
        return Err(BadLink::new(
            "tc's commands set nothing; give those that add a queueing discipline, or what `tc qdisc show` prints",
        ));
    }
    let mut notes = [notes, script.notes].concat();
    let mut ways: Vec<(&str, String, Options)> = Vec::new();
    for (namespace, device) in devices {
        let nodes: Vec<&Node> = script
            .nodes
            .iter()
            .filter(|node| (node.namespace, node.device) == (namespace, device))
            .collect();
        if nodes.iter().all(|node| chain::is_idle(node)) {
            let kinds: Vec<&str> = nodes.iter().map(|node| node.kind).collect();
            let of = if device.is_empty() {
                String::new()
            } else {
                format!("{device}: ")
            };
            notes.push(format!(
                "{of}{} without a rate does nothing to a link",
                kinds.join(", ")
            ));
            continue;
        }
        let name = match namespace {
            "" => device.to_string(),
            namespace => format!("{device} of {namespace}"),
        };
        let side = if device.starts_with("ifb") {
            "down"
        } else {
            "up"
        };
        if let Some((_, other, _)) = ways.iter().find(|(other, ..)| *other == side) {
            return Err(BadLink::new(format!(
                "tc sets devices {other} and {name}, and a link has one of each direction; give the commands of one"
            )));
        }
        ways.push((side, name, chain::settings(&nodes)?));
    }
    imported(
        ways.into_iter()
            .map(|(side, _, options)| (side, options))
            .collect(),
        notes,
    )
}

fn imported(ways: Vec<(&str, Options)>, mut differences: Vec<String>) -> Result<Imported, BadLink> {
    let mut settings = Vec::new();
    for (side, options) in ways {
        let options = options.finish();
        settings.extend(
            options
                .settings
                .iter()
                .map(|(key, value)| format!("{side}.{key}={value}")),
        );
        differences.extend(options.differences);
    }
    let link = if settings.is_empty() {
        "ideal".into()
    } else {
        settings.join(",")
    };
    Ok(Imported { link, differences })
}
