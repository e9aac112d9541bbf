//! The description that all DDS peers share.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Role};

/// Options of every DDS peer and their defaults; docs/reference/protocols/dds.md explains them.
const OPTIONS: [(&str, &str); 6] = [
    ("durability", "volatile"),
    ("history", "all"),
    // The default of a participant that does not announce one (DDSI-RTPS 2.3,
    // PID_PARTICIPANT_LEASE_DURATION). Cyclone announces 10 s, Fast DDS 20 s.
    ("lease_s", "100"),
    ("lifespan_ms", "0"),
    ("packet_bytes", "14720"),
    ("transport", "unicast"),
];

/// The description of a peer through this library; `own` are the options that only it has.
pub fn described(
    name: &str,
    library: &str,
    version: String,
    language: &str,
    own: &[(&str, &str)],
) -> Described {
    let options = OPTIONS.iter().chain(own);
    Described {
        contract: CONTRACT,
        name: name.into(),
        protocol: "dds".into(),
        library: library.into(),
        version,
        language: language.into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![
            Qos::new("best-effort", Delivery::BestEffort, false),
            Qos::new("reliable", Delivery::AtMostOnce, false),
        ],
        ordered: true,
        max_message: 0,
        servers: vec!["publisher".into()],
        options: BTreeMap::from_iter(
            options.map(|(name, value)| ((*name).into(), (*value).into())),
        ),
    }
}
