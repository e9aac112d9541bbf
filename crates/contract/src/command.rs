//! Commands: what the control plane writes to a peer's standard input, one JSON object a line.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// One command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "cmd", rename_all = "snake_case")]
pub enum Command {
    /// Say what this peer can do.
    Describe,
    /// Connect, and get ready to send or receive.
    Prepare(Box<Prepare>),
    /// Begin.
    Start(Start),
    /// Under a schedule that is told: plan the next message.
    Send {
        /// Its planned time.
        at_ns: i64,
    },
    /// Flush the samples, leave, end.
    Stop,
}

/// Which side of a trial a peer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Sends messages at planned times.
    Publisher,
    /// Records what arrives.
    Subscriber,
    /// Sends requests at planned times, and records when each was answered.
    Requester,
    /// Records requests, has an application answer each, and sends the answers.
    Responder,
}

/// What a responder answers by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Application {
    /// The request itself.
    #[default]
    Echo,
    /// A car park: `GET car` reserves a spot, `PUT car spot` occupies one, `DELETE car` frees it.
    Parking,
}

/// How a subscriber tells messages apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Identity {
    /// By their bytes.
    #[default]
    Content,
    /// By an 8-byte little-endian sequence number before the encoded bytes.
    Header,
}

/// Everything a peer has to know before it connects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prepare {
    /// Publisher or subscriber.
    pub role: Role,
    /// Where the server listens; absent where the protocol has no server.
    #[serde(default)]
    pub server: Option<Server>,
    /// The name of one of the described qos levels.
    pub qos: String,
    /// Settings by name; `describe` lists the names and defaults.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// The topic, resource or subject of the trial.
    pub topic: String,
    /// This client's name towards the server.
    pub client: String,
    /// Where messages come from.
    pub payload: Payload,
    /// How messages are told apart.
    #[serde(default)]
    pub identity: Identity,
    /// The sample file to create.
    pub samples: PathBuf,
    /// How many records the sample file holds.
    pub capacity: u64,
    /// What a responder answers by.
    #[serde(default)]
    pub application: Application,
    /// How many subscribers a publisher waits for that they meet without a server.
    #[serde(default = "one")]
    pub subscribers: usize,
}

fn one() -> usize {
    1
}

/// A server's address: an IP address and a port.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Server {
    /// IPv4 or IPv6 address, without port.
    pub address: std::net::IpAddr,
    /// Port.
    pub port: u16,
}

impl Server {
    /// Address and port together.
    pub fn socket(&self) -> SocketAddr {
        SocketAddr::new(self.address, self.port)
    }
}

/// Where messages come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Payload {
    /// A codec pack encodes a corpus live.
    Pack(PackSource),
    /// Ready-made messages: each a u32 little-endian length and that many bytes.
    Messages {
        /// The file.
        messages: PathBuf,
    },
}

/// A codec pack, the codec to use, and the corpus.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PackSource {
    /// The shared library.
    pub pack: PathBuf,
    /// `format/library`.
    pub codec: String,
    /// JSON Lines.
    pub corpus: PathBuf,
}

/// When to begin, and by which schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// The planned time of message 0.
    pub at_ns: i64,
    /// Needed by a publisher.
    #[serde(default)]
    pub schedule: Option<Schedule>,
}

/// When each message is planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Schedule {
    /// Message `i` at `at_ns + i * interval_ns`.
    Interval {
        /// The distance of two messages, above 0.
        interval_ns: i64,
        /// Only messages below this index.
        count: Option<u64>,
        /// Only messages planned less than this after `at_ns`.
        duration_ns: Option<i64>,
    },
    /// Each message the moment the one before it has been handed over.
    Flood {
        /// Only messages below this index.
        count: Option<u64>,
        /// Only messages planned less than this after `at_ns`.
        duration_ns: Option<i64>,
    },
    /// Message `i` at `at_ns` plus the i-th little-endian i64 of a file.
    Times {
        /// The file; its times must not decrease.
        times: PathBuf,
    },
    /// Each message when a `send` command says so, so that one exchange can be over before the next begins.
    #[serde(rename = "told")]
    OnCommand {
        /// Only messages below this index.
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
