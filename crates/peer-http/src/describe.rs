//! The description of this peer.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Role};
use wirelab_transport::{MAX_MESSAGE, tls};

use crate::Version;

/// The version that the workspace pins; a test keeps both equal.
const HYPER: &str = "1.12.0";

/// The minimum that RFC 9113 recommends for servers (6.5.2).
const STREAMS: &str = "100";

pub fn http(version: Version) -> Described {
    let (protocol, inflight) = match version {
        Version::Http => ("http", "1"),
        Version::Http2 => ("http2", STREAMS),
    };
    let options = [("inflight", inflight)].into_iter().chain(tls::OPTIONS);
    Described {
        contract: CONTRACT,
        name: format!("{protocol}-hyper"),
        protocol: protocol.into(),
        library: "hyper".into(),
        version: HYPER.into(),
        language: "rust".into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![Qos::new("request", Delivery::AtMostOnce, true)],
        // Sequential requests are ordered; concurrent ones are not.
        ordered: version == Version::Http,
        max_message: MAX_MESSAGE as u64,
        servers: vec!["http".into()],
        options: options
            .map(|(name, value)| (name.into(), value.into()))
            .collect::<BTreeMap<_, _>>(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("hyper = {{ version = \"={}\"", super::HYPER);
        assert!(include_str!("../../../Cargo.toml").contains(&pinned));
    }
}
