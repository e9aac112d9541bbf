//! The way of packets through the queueing disciplines and classes of a device.

use super::options::Options;
use super::parser::netem;
use super::shapers::{htb, leaf, tbf};
use super::statements::Node;
use crate::error::BadLink;

/// Disciplines that do nothing to a link: they order packets of a host.
const NEUTRAL: [&str; 8] = [
    "noqueue",
    "mq",
    "mqprio",
    "pfifo_fast",
    "fq",
    "ingress",
    "clsact",
    "prio",
];
/// Longest way from the root to a leaf.
const DEEPEST: usize = 16;

/// Whether a node has no rate, delay or loss, as the default of a device.
pub(super) fn is_idle(node: &Node) -> bool {
    NEUTRAL.contains(&node.kind)
        || matches!(node.kind, "fq_codel" | "codel" | "sfq" | "pfifo" | "bfifo")
}

/// The settings of one device, and what they leave out.
pub(super) fn settings(nodes: &[&Node]) -> Result<Options, BadLink> {
    let (way, notes) = way(nodes)?;
    let mut all = Options {
        differences: notes,
        ..Options::default()
    };
    let mut shapers: Vec<(u64, String)> = Vec::new();
    let mut queue = None;
    for node in &way {
        match node.kind {
            "netem" => {
                let options = netem(&node.words)?;
                all.differences.extend(options.differences);
                all.settings.extend(options.settings);
                all.limit = options.limit;
            }
            "tbf" => {
                let (rate, limit) = tbf(node, &mut all.differences)?;
                shapers.push((rate, node.name()));
                queue = limit;
            }
            "htb" if node.is_class => {
                if let Some(rate) = htb(node, &mut all.differences)? {
                    shapers.push((rate, node.name()));
                }
            }
            "htb" => {
                let default = default_of(node).filter(|_| nodes.iter().any(|one| one.is_class));
                if let Some(id) = default
                    && !nodes.iter().any(|one| one.is_class && one.id == id)
                {
                    all.differences.push(format!(
                        "htb's default class {id} is not given: Linux sends what no filter takes without a limit, a link does not"
                    ));
                }
                if !way.iter().any(|other| other.is_class) {
                    all.differences.push(
                        "htb: its classes are not given, so a rate that they have is not known; give those of tc class show".into(),
                    );
                }
            }
            kind if NEUTRAL.contains(&kind) => {
                all.differences
                    .push(format!("{} is dropped: a link has one queue", node.name()));
            }
            _ => queue = Some(leaf(node, &mut all.differences)?),
        }
    }
    let has_netem = way.iter().any(|node| node.kind == "netem");
    all.take_lowest_rate(shapers);
    if let Some(queue) = queue.filter(|_| all.has_rate()) {
        if has_netem {
            all.differences.push(format!(
                "queue {queue} is dropped: netem, which hangs below or above it, has the queue"
            ));
        } else {
            all.settings.push(("queue", queue));
        }
    }
    Ok(all)
}

/// The nodes that a packet passes, from the root to the leaf.
fn way<'n, 'a>(nodes: &[&'n Node<'a>]) -> Result<(Vec<&'n Node<'a>>, Vec<String>), BadLink> {
    let above = |node: &Node| {
        let parent = node.parent?;
        let others = || {
            nodes
                .iter()
                .copied()
                .filter(|other| !std::ptr::eq(*other, node))
        };
        let class = others().find(|other| other.is_class && other.is_at(parent));
        class.or_else(|| others().find(|other| !other.is_class && other.is_at(parent)))
    };
    let netems: Vec<&Node> = nodes
        .iter()
        .copied()
        .filter(|node| node.kind == "netem")
        .collect();
    let is_leaf = |node: &Node| {
        !nodes
            .iter()
            .any(|other| above(other).is_some_and(|up| std::ptr::eq(up, node)))
    };
    let leaves: Vec<&Node> = nodes.iter().copied().filter(|node| is_leaf(node)).collect();
    let mut leaf = match (netems.as_slice(), leaves.as_slice()) {
        ([one], _) => *one,
        ([], [one]) => *one,
        ([], several) => default_class(nodes, several)?,
        (several, _) => {
            let names: Vec<String> = several.iter().map(|node| node.name()).collect();
            return Err(BadLink::new(format!(
                "tc has {} netem of one device ({}), and a link has one way; give the commands of one",
                several.len(),
                names.join(", ")
            )));
        }
    };
    // Below a netem may be the discipline that sends what it has delayed.
    let mut depth = 0;
    loop {
        let below: Vec<&Node> = nodes
            .iter()
            .copied()
            .filter(|node| above(node).is_some_and(|up| std::ptr::eq(up, leaf)))
            .collect();
        depth += 1;
        leaf = match below.as_slice() {
            _ if depth > DEEPEST => break,
            [] => break,
            [one] => *one,
            several => default_class(nodes, several)?,
        };
    }
    let mut way = vec![leaf];
    let mut notes = Vec::new();
    while let Some(up) = above(way[way.len() - 1]) {
        if way.len() >= DEEPEST {
            return Err(BadLink::new(
                "tc's classes and disciplines have no root; check parent and handle",
            ));
        }
        way.push(up);
    }
    if let Some(parent) = way[way.len() - 1]
        .parent
        .filter(|parent| *parent != "ffff:" && !parent.is_empty())
    {
        notes.push(format!(
            "parent {parent} is not given: a rate or a queue that it has is not known"
        ));
    }
    way.reverse();
    for other in nodes
        .iter()
        .filter(|node| !way.iter().any(|on| std::ptr::eq(*on, **node)))
    {
        notes.push(format!(
            "{} is dropped: it is not on the way that is taken",
            other.name()
        ));
    }
    Ok((way, notes))
}

/// The class that `default` of htb names. None without one, and for class 0.
fn default_of(root: &Node) -> Option<String> {
    let at = root.words.iter().position(|word| *word == "default")?;
    let number = root
        .words
        .get(at + 1)?
        .trim_start_matches("0x")
        .trim_start_matches('0');
    let major = root.id.split_inclusive(':').next()?;
    (!number.is_empty()).then(|| format!("{major}{number}"))
}

/// The class that packets take without a filter: `default` of htb.
fn default_class<'n, 'a>(
    nodes: &[&'n Node<'a>],
    leaves: &[&'n Node<'a>],
) -> Result<&'n Node<'a>, BadLink> {
    let root = nodes
        .iter()
        .find(|node| node.kind == "htb" && !node.is_class);
    let default = root.and_then(|root| default_of(root));
    let is_default = |node: &&&Node| {
        default
            .as_deref()
            .is_some_and(|id| node.id == id || node.parent == Some(id))
    };
    leaves.iter().find(is_default).copied().ok_or_else(|| {
        let names: Vec<String> = leaves.iter().map(|node| node.name()).collect();
        BadLink::new(format!(
            "tc has {} ways ({}), and a link has one; give the commands of one",
            leaves.len(),
            names.join(", ")
        ))
    })
}
