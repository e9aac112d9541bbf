//! What this peer can do.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Role};

use crate::cyclone;

/// Options and their defaults; docs/protocols/dds.md explains each.
const OPTIONS: [(&str, &str); 9] = [
    ("batch_messages", "1"),
    ("batch_ms", "5"),
    ("durability", "volatile"),
    ("fragment_bytes", "1344"),
    ("history", "all"),
    // What a participant has that announces none (DDSI-RTPS 2.3, PID_PARTICIPANT_LEASE_DURATION). Cyclone announces 10 s.
    ("lease_s", "100"),
    ("lifespan_ms", "0"),
    ("packet_bytes", "14720"),
    ("transport", "unicast"),
];

pub fn dds() -> Described {
    Described {
        contract: CONTRACT,
        name: "dds-cyclone".into(),
        protocol: "dds".into(),
        library: "cyclonedds".into(),
        version: cyclone::version(),
        language: "c".into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![
            Qos::new("best-effort", Delivery::BestEffort, false),
            Qos::new("reliable", Delivery::AtMostOnce, false),
        ],
        ordered: true,
        max_message: 0,
        servers: vec!["publisher".into()],
        options: BTreeMap::from(OPTIONS.map(|(name, value)| (name.into(), value.into()))),
    }
}
