//! What CoAP's peers say of themselves, whatever library carries their exchanges.

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Role};

/// What carries a peer's exchanges.
#[derive(Debug, Clone, Copy)]
pub struct Library<'a> {
    /// The library.
    pub name: &'a str,
    /// Its version.
    pub version: &'a str,
    /// The language that it is written in.
    pub language: &'a str,
}

/// The peer of that name; `options` with their defaults.
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
            // Given up after MAX_RETRANSMIT, so confirmable is a strong attempt and no promise; see docs/reference/protocols/coap.md.
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
