//! The description of this peer.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Role};

/// Options and their defaults; docs/reference/protocols/zmq.md explains them.
const OPTIONS: [(&str, &str); 11] = [
    ("conflate", "false"),
    ("group", "239.192.0.1"),
    ("hops", "1"),
    ("rate_kbit", "10000"),
    ("receive_buffer_bytes", "-1"),
    ("receive_hwm", "1000"),
    ("recovery_ms", "10000"),
    ("send_buffer_bytes", "-1"),
    ("send_hwm", "1000"),
    ("tos", "0"),
    ("transport", "tcp"),
];

pub fn zmq() -> Described {
    let (major, minor, patch) = zmq::version();
    Described {
        contract: CONTRACT,
        name: "zmq-libzmq".into(),
        protocol: "zmq".into(),
        library: "libzmq".into(),
        version: format!("{major}.{minor}.{patch}"),
        language: "c++".into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![
            Qos::new("drop", Delivery::BestEffort, false),
            Qos::new("block", Delivery::BestEffort, false),
        ],
        ordered: true,
        max_message: 0,
        servers: vec!["publisher".into()],
        options: BTreeMap::from(OPTIONS.map(|(name, value)| (name.into(), value.into()))),
    }
}
