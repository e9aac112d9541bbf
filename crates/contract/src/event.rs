//! Events: what a peer or server writes to its standard output, one JSON object a line.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Role;

/// One event of a peer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Answer to `describe`.
    Described(Box<Described>),
    /// Answer to `prepare`.
    Prepared(Prepared),
    /// Answer to `start`.
    Started,
    /// At most every 100 ms, when something changed.
    Progress(Counts),
    /// The publisher has sent everything and knows what it can know.
    Settled {
        /// Messages handed to the library.
        sent: u64,
        /// Messages whose delivery the server confirmed.
        acknowledged: u64,
        /// Messages refused or given up.
        failed: u64,
    },
    /// Something went wrong; fatal ones end the peer with exit code 1.
    Error(Fault),
    /// Answer to `stop`; the last line.
    Stopped(Stopped),
}

/// What a peer can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    /// Version of the contract.
    pub contract: u32,
    /// `protocol-library`.
    pub name: String,
    /// The protocol.
    pub protocol: String,
    /// The client library.
    pub library: String,
    /// The library's version.
    pub version: String,
    /// The language of the library.
    pub language: String,
    /// The sides it can take.
    pub roles: Vec<Role>,
    /// Its qos levels.
    pub qos: Vec<Qos>,
    /// Whether messages arrive in the order they were sent.
    pub ordered: bool,
    /// Largest message in bytes; 0 where none is known.
    pub max_message: u64,
    /// Kinds of server it speaks to; empty where it needs none.
    pub servers: Vec<String>,
    /// Options with their defaults.
    pub options: BTreeMap<String, String>,
}

/// One qos level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Qos {
    /// The level's name within its protocol.
    pub name: String,
    /// What the protocol promises.
    pub delivery: Delivery,
    /// Whether the publisher learns the fate of each message.
    pub acknowledged: bool,
}

impl Qos {
    /// A level by its parts.
    pub fn new(name: &str, delivery: Delivery, acknowledged: bool) -> Self {
        Self {
            name: name.to_owned(),
            delivery,
            acknowledged,
        }
    }
}

/// What a protocol promises about each message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// Nothing.
    BestEffort,
    /// Never twice.
    AtMostOnce,
    /// Never lost.
    AtLeastOnce,
    /// Neither.
    ExactlyOnce,
}

/// A peer is connected and ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepared {
    /// From the first packet to a usable connection.
    pub connect_ns: i64,
    /// Messages in the corpus.
    pub messages: u64,
    /// Smallest encoded size.
    pub bytes_min: u64,
    /// Largest encoded size.
    pub bytes_max: u64,
    /// Different byte strings among them.
    pub distinct: u64,
}

/// How far a peer is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Messages handed to the library.
    pub sent: u64,
    /// Messages whose delivery the server confirmed.
    pub acknowledged: u64,
    /// Messages refused or given up.
    pub failed: u64,
    /// Arrivals, duplicates included.
    pub received: u64,
    /// How often the peer was back after its connection had broken.
    #[serde(default, skip_serializing_if = "is_none")]
    pub reconnects: u64,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

/// A peer's last words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// Final counts.
    #[serde(flatten)]
    pub counts: Counts,
    /// CPU time of the process, user and system.
    pub cpu_ns: u64,
    /// Peak resident memory.
    pub max_rss_bytes: u64,
}

/// Something went wrong: the thing, the cause, and whether the peer ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The thing.
    pub what: String,
    /// The cause.
    pub why: String,
    /// Whether the peer ends.
    pub fatal: bool,
}

impl Fault {
    /// A fault that ends the peer.
    pub fn fatal(what: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self {
            what: what.to_string(),
            why: why.to_string(),
            fatal: true,
        }
    }

    /// A fault after which the peer goes on as before.
    pub fn minor(what: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self {
            what: what.to_string(),
            why: why.to_string(),
            fatal: false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

impl std::error::Error for Fault {}

/// A built-in server listens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename = "ready", rename_all = "snake_case")]
pub struct Ready {
    /// The server's name.
    pub name: String,
    /// The version of the library that serves.
    pub version: String,
    /// The address it listens on.
    pub listen: String,
    /// Limits, set on purpose; numbers or words.
    pub limits: BTreeMap<String, serde_json::Value>,
}
