//! tc's commands and listings as queueing disciplines and classes with their places.

use super::variables;
use crate::error::BadLink;

/// A queueing discipline or class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node<'a> {
    /// The network namespace in which it is set; empty where none is given.
    pub namespace: &'a str,
    /// The name of its device; empty in a listing without devices.
    pub device: &'a str,
    /// The handle or class it hangs below. None for the root.
    pub parent: Option<&'a str>,
    /// Its own handle (`1:`) or class (`1:10`).
    pub id: &'a str,
    pub is_class: bool,
    /// `netem`, `htb` ...
    pub kind: &'a str,
    pub words: Vec<&'a str>,
}

impl Node<'_> {
    /// Whether this is what `place` names: a class, or the discipline with its handle.
    pub fn is_at(&self, place: &str) -> bool {
        if self.is_class {
            return self.id == place;
        }
        let major = |text: &str| text.split(':').next().unwrap_or_default().to_string();
        !self.id.is_empty() && major(self.id) == major(place) && place != "ffff:"
    }

    /// Its name in a sentence.
    pub fn name(&self) -> String {
        let class = if self.is_class { " class" } else { "" };
        format!("{}{class} {}", self.kind, self.id)
            .trim_end()
            .to_string()
    }
}

/// What a text of commands or a listing says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Script<'a> {
    pub nodes: Vec<Node<'a>>,
    /// Whether a command removes a discipline, so that nothing may be left.
    pub deletes: bool,
    /// The namespace of the command that is read.
    namespace: &'a str,
    /// Namespace and device of the listing that a command asks for.
    listing: (&'a str, &'a str),
    /// Namespaces and devices that commands set.
    set: Vec<(&'a str, &'a str)>,
    /// What commands removed since something was set, by the last of them.
    removed: Vec<(Node<'a>, String)>,
    /// One sentence per command that is not read.
    pub notes: Vec<String>,
}

/// Whether a text has commands or a listing. A trace may quote one in a comment, so prompts of root
/// do not count.
pub(super) fn has_commands(text: &str) -> bool {
    // A shell may be given the command in quotes: `sh -c "tc qdisc add ..."`.
    let text = text.replace(['"', '\''], " ");
    !matches!(read_statements(statements(&text, false)), Ok(None))
}

/// Read commands (`tc qdisc add ...`) and listings (`qdisc netem 8001: dev eth0 ...`). None if the
/// text has neither.
pub(super) fn read(text: &str) -> Result<Option<Script<'_>>, BadLink> {
    let read = read_statements(statements(text, false))?;
    // If all commands start with `# `, that is the prompt of root.
    match read {
        None => read_statements(statements(text, true)),
        found => Ok(found),
    }
}

fn read_statements(statements: Vec<&str>) -> Result<Option<Script<'_>>, BadLink> {
    let mut script = Script::default();
    let mut found = false;
    for statement in statements {
        let ends = |word: &&str| {
            word.starts_with(['|', '&', '>']) || word.starts_with("2>") || word.starts_with("1>")
        };
        let words: Vec<&str> = statement
            .split_whitespace()
            .filter(|word| *word != "\\")
            .take_while(|word| !ends(word))
            .collect();
        let is_tc = |word: &&str| *word == "tc" || word.ends_with("/tc");
        let after = |words: &[&'_ str], names: &[&str]| {
            words
                .iter()
                .position(|word| names.contains(word))
                .map(|at| at + 1)
        };
        let tc = words.iter().position(is_tc);
        let object = after(
            &words[tc.map_or(0, |at| at + 1)..],
            &["qdisc", "class", "filter"],
        );
        match (tc, object) {
            (Some(tc), Some(at)) => {
                found = true;
                // `ip netns exec NAME tc`, `docker exec -it NAME tc`, or `tc -n NAME`.
                let outside = after(&words[..tc], &["exec"]).and_then(|at| named(&words[at..tc]));
                let inside = after(&words[tc..tc + at], &["-n", "-netns"]).map(|at| tc + at);
                let namespace = outside.or(inside.and_then(|at| words.get(at).copied()));
                script.namespace = namespace.unwrap_or_default();
                script.command(&words[tc + at..])?;
            }
            (None, Some(1)) => {
                found = true;
                script.namespace = script.listing.0;
                script.listed(&words)?;
            }
            _ => script.not_read(&words),
        }
    }
    script.keep_what_is_cleaned_up();
    Ok(found.then_some(script))
}

/// The first word after options and their values.
fn named<'a>(words: &[&'a str]) -> Option<&'a str> {
    const WITH_VALUE: [&str; 6] = ["-u", "--user", "-e", "--env", "-w", "--workdir"];
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(word) {
            words.next();
        } else if !word.starts_with('-') {
            return Some(word);
        }
    }
    None
}

/// The commands of a text: its lines, divided at `;`, `&&` and `||`, without comments and prompts.
fn statements(text: &str, root_prompt: bool) -> Vec<&str> {
    let mut all = Vec::new();
    let mut start = 0;
    let mut ends: Vec<usize> = text
        .match_indices('\n')
        .map(|(at, _)| at)
        .filter(|&at| !text[..at].trim_end_matches([' ', '\r']).ends_with('\\'))
        .collect();
    ends.push(text.len());
    for end in ends {
        let mut line = text[start..end].trim();
        start = (end + 1).min(text.len());
        line = line.trim_start_matches("$ ");
        if root_prompt {
            line = line.trim_start_matches("# ");
        }
        line = line.split(" #").next().unwrap_or_default();
        if !line.starts_with('#') {
            let parts = line.split(';').flat_map(|part| part.split("&&"));
            all.extend(parts.flat_map(|part| part.split("||")));
        }
    }
    let trimmed = all.into_iter().map(str::trim);
    trimmed.filter(|part| !part.is_empty()).collect()
}

impl<'a> Script<'a> {
    /// `qdisc add dev eth0 root handle 1: netem delay 10ms`, after `tc`.
    fn command(&mut self, words: &[&'a str]) -> Result<(), BadLink> {
        let (object, verb) = (words[0], words.get(1).copied().unwrap_or("show"));
        let rest = words.get(2..).unwrap_or_default();
        match (object, verb) {
            (_, "show" | "list" | "ls" | "get" | "monitor" | "help") => {
                self.listing = (self.namespace, value(rest, "dev").unwrap_or_default());
            }
            ("filter", _) => self.filter(words)?,
            (_, "add" | "replace" | "change" | "link") => self.add(object == "class", rest)?,
            (_, "del" | "delete") => self.delete(rest),
            _ => self.not_read(words),
        }
        Ok(())
    }

    /// `qdisc netem 8001: dev eth0 root refcnt 2 limit 1000 ...`, of a listing.
    fn listed(&mut self, words: &[&'a str]) -> Result<(), BadLink> {
        if words[0] == "filter" {
            return self.filter(words);
        }
        // Without a rate of its own: what a discipline prints for each of its bands and flows.
        if words[0] == "class" && words.get(1).is_some_and(|kind| *kind != "htb") {
            return Ok(());
        }
        let &[object, kind, id, ..] = words else {
            self.not_read(words);
            return Ok(());
        };
        if ["add", "replace", "change", "del", "delete"].contains(&kind) {
            return self.command(words);
        }
        let mut node = Node {
            namespace: self.namespace,
            device: "",
            parent: None,
            id,
            is_class: object == "class",
            kind,
            words: Vec::new(),
        };
        let mut rest = words[3..].iter().copied();
        while let Some(word) = rest.next() {
            match word {
                "dev" => node.device = rest.next().unwrap_or_default(),
                "parent" => node.parent = rest.next(),
                // A class prints `leaf 10:`, the discipline below it.
                "refcnt" | "leaf" => drop(rest.next()),
                "root" | "offloaded" | "deleted" => {}
                other => {
                    node.words.push(other);
                    node.words.extend(rest.by_ref());
                }
            }
        }
        if node.device.is_empty() {
            node.device = self.listing.1;
        }
        if self.set.contains(&(node.namespace, node.device)) {
            self.notes.push(format!(
                "passed over is what tc printed, as its commands are given: '{}'",
                shown(words)
            ));
            return Ok(());
        }
        // The root class of htb is below its discipline.
        if node.is_class && node.parent.is_none() {
            node.parent = node.id.split_inclusive(':').next();
        }
        self.put(node)
    }

    fn add(&mut self, is_class: bool, words: &[&'a str]) -> Result<(), BadLink> {
        let mut node = Node {
            namespace: self.namespace,
            device: "",
            parent: None,
            id: "",
            is_class,
            kind: "",
            words: Vec::new(),
        };
        let mut rest = words.iter().copied();
        while let Some(word) = rest.next() {
            match word {
                "dev" => node.device = rest.next().unwrap_or_default(),
                "parent" => node.parent = rest.next(),
                "handle" | "classid" => node.id = rest.next().unwrap_or_default(),
                "root" | "est" => {}
                "ingress" | "clsact" => {
                    node.kind = word;
                    node.parent = Some("ffff:");
                }
                kind => {
                    node.kind = kind;
                    node.words = rest.by_ref().collect();
                }
            }
        }
        if node.kind.is_empty() {
            return Err(BadLink::new(format!(
                "tc '{}' has no queueing discipline, such as netem",
                shown(words)
            )));
        }
        self.removed.retain(|(other, command)| {
            let is_set = (other.namespace, other.device) == (node.namespace, node.device);
            if is_set {
                let device = node.device;
                let note = format!("what was set for {device} before '{command}' counts no more");
                self.notes.retain(|one| *one != note);
                self.notes.push(note);
            }
            !is_set
        });
        self.set.push((node.namespace, node.device));
        self.put(node)
    }

    /// Add a node in place of one that had its place.
    fn put(&mut self, node: Node<'a>) -> Result<(), BadLink> {
        let all = [node.device, node.id, node.parent.unwrap_or_default()];
        let variable = all
            .into_iter()
            .chain(node.words.iter().copied())
            // A variable for the device changes nothing.
            .find(|word| word.contains(['$', '`']) && *word != node.device);
        if let Some(variable) = variable {
            return Err(BadLink::new(format!(
                "tc command has the shell variable '{}'; put its value",
                variables::first(variable).escape_debug()
            )));
        }
        let has_its_place = |other: &Node| {
            (other.namespace, other.device) == (node.namespace, node.device)
                && other.is_class == node.is_class
                && if node.is_class {
                    other.id == node.id
                } else {
                    other.parent == node.parent
                }
        };
        for other in self.nodes.iter().filter(|other| has_its_place(other)) {
            if (other.kind, &other.words) != (node.kind, &node.words) {
                self.notes.push(format!(
                    "a later command counts in place of '{}'",
                    shown(&[&[other.kind][..], &other.words].concat())
                ));
            }
        }
        self.nodes.retain(|other| !has_its_place(other));
        self.nodes.push(node);
        Ok(())
    }

    fn delete(&mut self, words: &[&'a str]) {
        self.deletes = true;
        let (device, parent) = (
            value(words, "dev").unwrap_or_default(),
            value(words, "parent"),
        );
        let is_removed = |node: &Node| {
            (node.namespace, node.device) == (self.namespace, device)
                && (parent.is_none() || node.parent == parent)
        };
        let (removed, kept) = std::mem::take(&mut self.nodes)
            .into_iter()
            .partition::<Vec<_>, _>(is_removed);
        self.nodes = kept;
        self.set
            .retain(|set| *set != (self.namespace, device) || parent.is_some());
        let with_command = removed.into_iter().map(|node| (node, shown(words)));
        self.removed.extend(with_command);
    }

    /// What the last commands remove, and nothing replaces, is what a script is for: it cleans up.
    fn keep_what_is_cleaned_up(&mut self) {
        for (node, command) in std::mem::take(&mut self.removed) {
            let note = format!("'{command}' is the clean-up at the end: what it removes counts");
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
            self.nodes.push(node);
        }
    }

    fn filter(&mut self, words: &[&'a str]) -> Result<(), BadLink> {
        if words.contains(&"police") {
            return Err(BadLink::new(
                "tc filter police drops packets above a rate without a queue, which no link does; use tbf or htb",
            ));
        }
        let redirected = words.contains(&"redirect");
        self.notes.push(if redirected {
            format!(
                "filter: packets that come in are redirected, and count as down: '{}'",
                shown(words)
            )
        } else {
            format!(
                "filter is dropped: a link takes all packets: '{}'",
                shown(words)
            )
        });
        Ok(())
    }

    fn not_read(&mut self, words: &[&str]) {
        // Counters of `tc -s`, and the words that only make a device.
        let counters = [
            "Sent",
            "backlog",
            "rate",
            "lended:",
            "tokens:",
            "Sent:",
            "maxpacket",
            "new_flows_len",
            "true",
            "set",
        ];
        if variables::assignment(&words.join(" ")).is_some() {
            return;
        }
        if words.first().is_some_and(|first| !counters.contains(first)) {
            self.notes.push(format!("not read: '{}'", shown(words)));
        }
    }
}

/// The word behind a key.
fn value<'a>(words: &[&'a str], key: &str) -> Option<&'a str> {
    let at = words.iter().position(|word| *word == key)?;
    words.get(at + 1).copied()
}

fn shown(words: &[&str]) -> String {
    let text = words.join(" ");
    let short: String = text.chars().take(60).collect();
    let more = if short.len() < text.len() { " ..." } else { "" };
    format!("{}{more}", short.escape_debug())
}
