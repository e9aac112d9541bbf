//! Commands: what the control plane writes to a peer's standard input, one JSON object per line.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::script::Script;

/// A command to a peer: one line of its standard input. Unknown keys are ignored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "cmd", rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Command {
    /// Report the peer's capabilities. Allowed at any time before `prepare`; needs no server.
    Describe,
    /// Load the payload, create the sample file and connect. Answered by `prepared`.
    Prepare(Box<Prepare>),
    /// Start the schedule. Answered by `started`.
    Start(Start),
    /// Plan the next message of a `told` schedule. Has no answer.
    Send {
        /// Intended send time of the message, in ns of `CLOCK_MONOTONIC`.
        at_ns: i64,
    },
    /// Flush the samples, disconnect and exit. Answered by `stopped`.
    Stop,
}

/// The role of a peer in a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Role {
    /// Sends messages at their intended send times.
    Publisher,
    /// Records the messages that arrive.
    Subscriber,
    /// Sends requests at their intended send times and records when each is answered.
    Requester,
    /// Records requests and answers them.
    Responder,
}

/// How a subscriber identifies a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Identity {
    /// By its bytes.
    #[default]
    Content,
    /// By an 8-byte little-endian sequence number before the encoded bytes.
    Header,
}

/// Everything a peer needs to know before it connects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Prepare {
    /// The role in this trial.
    pub role: Role,
    /// Address of the server; null where the protocol has none. Where `describe` lists the server
    /// kind `publisher`, the address of the publisher.
    #[serde(default)]
    pub server: Option<Server>,
    /// Name of one of the QoS levels that `describe` lists.
    pub qos: String,
    /// Options by name; `describe` lists the names and their defaults.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// Topic, resource or subject of the trial.
    pub topic: String,
    /// Client name that the peer presents to the server.
    pub client: String,
    /// Source of the messages.
    pub payload: Payload,
    /// How messages are identified.
    #[serde(default)]
    pub identity: Identity,
    /// Path of the sample file to create.
    pub samples: PathBuf,
    /// Number of records that the sample file can hold.
    pub capacity: u64,
    /// Script of a responder; ignored by other roles.
    #[serde(default)]
    pub script: Script,
    /// Number of subscribers that a publisher without a server waits for.
    #[serde(default = "one")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub subscribers: usize,
}

fn one() -> usize {
    1
}

/// A server's address.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Server {
    /// IPv4 or IPv6 address, without a port.
    pub address: IpAddr,
    /// TCP or UDP port.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub port: u16,
}

impl Server {
    /// The address with its port.
    pub fn socket(&self) -> SocketAddr {
        SocketAddr::new(self.address, self.port)
    }
}

/// Source of the messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Payload {
    /// A codec pack that encodes the corpus during the trial.
    Pack(PackSource),
    /// Messages that are already encoded.
    Messages {
        /// Path of a file that holds, for each message, a u32 little-endian length and that many
        /// bytes.
        messages: PathBuf,
    },
}

/// A codec pack, the codec to use, and the corpus to encode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PackSource {
    /// Path of the pack's shared library.
    pub pack: PathBuf,
    /// Codec within the pack, as `format/library`.
    pub codec: String,
    /// Path of the corpus in JSON Lines.
    pub corpus: PathBuf,
}

/// When to start, and the schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Start {
    /// Intended send time of message 0, in ns of `CLOCK_MONOTONIC`.
    pub at_ns: i64,
    /// Required for roles that send; subscribers and responders ignore it.
    #[serde(default)]
    pub schedule: Option<Schedule>,
}

/// Rule for the intended send time of each message. `interval` and `flood` need at least one of
/// `count` and `duration_ns`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Schedule {
    /// Open loop: message `i` at `at_ns + i * interval_ns`.
    #[cfg_attr(test, schemars(extend("anyOf" = crate::schema::one_bound())))]
    Interval {
        /// Time between two messages, in ns.
        #[cfg_attr(test, schemars(range(min = 1)))]
        interval_ns: i64,
        /// Number of messages; null for no limit.
        count: Option<u64>,
        /// Messages planned this long after `at_ns`, or later, are not sent; null for no limit. In
        /// ns.
        #[cfg_attr(test, schemars(range(min = 0)))]
        duration_ns: Option<i64>,
    },
    /// Each message as soon as the previous one has been handed to the library.
    #[cfg_attr(test, schemars(extend("anyOf" = crate::schema::one_bound())))]
    Flood {
        /// Number of messages; null for no limit.
        count: Option<u64>,
        /// Messages planned this long after `at_ns`, or later, are not sent; null for no limit. In
        /// ns.
        #[cfg_attr(test, schemars(range(min = 0)))]
        duration_ns: Option<i64>,
    },
    /// Message `i` at `at_ns` plus the i-th entry of a file.
    Times {
        /// Path of a file of little-endian i64 offsets in ns, in non-decreasing order.
        times: PathBuf,
    },
    /// Closed loop: each message when a `send` command plans it.
    #[serde(rename = "told")]
    OnCommand {
        /// Number of messages.
        count: u64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prepare_line_of_the_contract_is_understood() {
        let line = r#"{"cmd":"prepare","role":"publisher","server":{"address":"10.77.0.2","port":1883},"qos":"1",
            "options":{},"topic":"wirelab/t","client":"pub-1","identity":"header","later":"key",
            "payload":{"pack":"/x/libpack.so","codec":"protobuf/prost","corpus":"/x/corpus.jsonl"},
            "samples":"/x/pub.samples","capacity":1000}"#;
        let Command::Prepare(prepare) = serde_json::from_str(line).unwrap() else {
            panic!("not a prepare")
        };
        assert_eq!(
            prepare.server.as_ref().unwrap().socket(),
            "10.77.0.2:1883".parse().unwrap()
        );
        assert_eq!(prepare.identity, Identity::Header);
        assert_eq!(prepare.subscribers, 1);
        assert!(matches!(&prepare.payload, Payload::Pack(pack) if pack.codec == "protobuf/prost"));
    }

    #[test]
    fn a_schedule_without_one_bound_is_understood() {
        let line = r#"{"cmd":"start","at_ns":5,"schedule":{"kind":"interval","interval_ns":200,"count":30}}"#;
        let expected = Schedule::Interval {
            interval_ns: 200,
            count: Some(30),
            duration_ns: None,
        };
        let start = Start {
            at_ns: 5,
            schedule: Some(expected),
        };
        assert_eq!(
            serde_json::from_str::<Command>(line).unwrap(),
            Command::Start(start)
        );
    }
}
