//! The description that CoAP peers share.

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Role};

/// The library of a peer.
#[derive(Debug, Clone, Copy)]
pub struct Library<'a> {
    /// Name of the library.
    pub name: &'a str,
    /// Its version.
    pub version: &'a str,
    /// Language that the library is written in.
    pub language: &'a str,
}

/// The description of a peer; `options` with their defaults.
pub fn described<'a>(
    name: &str,
    library: Library<'_>,
    options: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Described {
    Described {
        contract: CONTRACT,
        name: name.into(),
        protocol: "coap".into(),
        library: library.name.into(),
        version: library.version.into(),
        language: library.language.into(),
        roles: vec![
            Role::Publisher,
            Role::Subscriber,
            Role::Requester,
            Role::Responder,
        ],
        qos: vec![
            Qos::new("non", Delivery::BestEffort, false),
            // Retransmission ends after MAX_RETRANSMIT, so confirmable messages are not guaranteed
            // to arrive; see docs/reference/protocols/coap.md.
            Qos::new("con", Delivery::BestEffort, true),
        ],
        ordered: false,
        max_message: 16 << 20,
        servers: vec!["coap".into()],
        options: options
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
    }
}
