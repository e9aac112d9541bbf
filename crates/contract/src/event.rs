//! Events: what a peer or server writes to its standard output, one JSON object per line.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Role;

/// An event of a peer: one line of its standard output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Event {
    /// Answer to `describe`.
    Described(Box<Described>),
    /// Answer to `prepare`.
    Prepared(Prepared),
    /// Answer to `start`.
    Started,
    /// Current counters. Sent at most every 100 ms, and only when one has changed.
    Progress(Counts),
    /// The publisher has sent every message, and no more outcomes will become known.
    Settled {
        /// Messages handed to the library.
        sent: u64,
        /// Messages whose delivery was confirmed.
        acknowledged: u64,
        /// Messages that were refused or given up.
        failed: u64,
    },
    /// An error. After a fatal one the peer exits with code 1.
    Error(Fault),
    /// Answer to `stop`; the last line.
    Stopped(Stopped),
}

/// Capabilities of a peer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Described {
    /// Version of the peer contract.
    #[cfg_attr(test, schemars(extend("const" = crate::CONTRACT)))]
    pub contract: u32,
    /// `protocol-library`.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub name: String,
    /// Protocol.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub protocol: String,
    /// Client library.
    pub library: String,
    /// Version of the library.
    pub version: String,
    /// Programming language of the library.
    pub language: String,
    /// Roles that the peer supports.
    #[cfg_attr(test, schemars(length(min = 1), extend("uniqueItems" = true)))]
    pub roles: Vec<Role>,
    /// QoS levels that the peer supports.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub qos: Vec<Qos>,
    /// Whether messages arrive in the order in which they were sent.
    pub ordered: bool,
    /// Size of the largest message in bytes; 0 where no limit is known.
    pub max_message: u64,
    /// Kinds of server that the peer can connect to; empty where it needs none.
    pub servers: Vec<String>,
    /// Options and their defaults.
    pub options: BTreeMap<String, String>,
}

/// A QoS level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Qos {
    /// Name within the protocol.
    pub name: String,
    /// Delivery guarantee of the protocol.
    pub delivery: Delivery,
    /// Whether the publisher learns the outcome of each message.
    pub acknowledged: bool,
}

impl Qos {
    /// A level with these properties.
    pub fn new(name: &str, delivery: Delivery, acknowledged: bool) -> Self {
        Self {
            name: name.to_owned(),
            delivery,
            acknowledged,
        }
    }
}

/// Delivery guarantee of a protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Delivery {
    /// No guarantee.
    BestEffort,
    /// No duplicates.
    AtMostOnce,
    /// No losses.
    AtLeastOnce,
    /// No losses and no duplicates.
    ExactlyOnce,
}

/// The peer is connected and ready to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Prepared {
    /// Time from the first packet to a usable connection, in ns.
    #[cfg_attr(test, schemars(range(min = 0)))]
    pub connect_ns: i64,
    /// Number of messages in the corpus.
    pub messages: u64,
    /// Size of the smallest encoded message in bytes.
    pub bytes_min: u64,
    /// Size of the largest encoded message in bytes.
    pub bytes_max: u64,
    /// Number of different byte strings among the encoded messages.
    pub distinct: u64,
}

/// Counters of a peer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Counts {
    /// Messages handed to the library.
    pub sent: u64,
    /// Messages whose delivery was confirmed.
    pub acknowledged: u64,
    /// Messages that were refused or given up.
    pub failed: u64,
    /// Messages that arrived, including duplicates. For a requester: answers.
    pub received: u64,
    /// Successful reconnections. Absent while 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reconnects: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The peer's final report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Stopped {
    /// Final counters.
    #[serde(flatten)]
    pub counts: Counts,
    /// CPU time of the process, user and system, in ns.
    pub cpu_ns: u64,
    /// Peak resident set size in bytes.
    pub max_rss_bytes: u64,
}

/// An error: what failed, why, and whether the peer exits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Fault {
    /// What failed.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub what: String,
    /// Why it failed.
    pub why: String,
    /// Whether the peer exits.
    pub fatal: bool,
}

impl Fault {
    /// An error after which the peer exits.
    pub fn fatal(what: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self {
            what: what.to_string(),
            why: why.to_string(),
            fatal: true,
        }
    }

    /// An error after which the peer continues.
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

/// The one line that a built-in server writes to its standard output once it listens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename = "ready", rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Ready {
    /// Name of the server.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub name: String,
    /// Version of the server's library.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub version: String,
    /// Address and port it listens on.
    pub listen: String,
    /// Limits that can lose, delay or refuse a message, in the unit of their name.
    #[cfg_attr(test, schemars(extend("additionalProperties" = {"type": ["number", "string"]})))]
    pub limits: BTreeMap<String, serde_json::Value>,
}
