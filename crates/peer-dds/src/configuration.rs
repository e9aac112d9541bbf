//! Converts options to Cyclone's XML configuration and to QoS policies.

use std::net::IpAddr;
use std::time::Duration;

use wirelab_dds::{multicast, reliable, samples_kept, transient_local};
use wirelab_peer::{Fault, Setup};

use crate::cyclone::Settings;

/// Cyclone's configuration of the trial's domain: the interface that routes to the publisher, its
/// port as the base port, and where multicast is allowed.
///
/// # Errors
/// A fatal fault that names the option.
pub fn domain(setup: &Setup) -> Result<String, Fault> {
    let multicast = multicast(setup)?;
    let batches = setup.options.text("batch_messages") != "1";
    let fragment: u32 = setup.options.parse("fragment_bytes")?;
    let packet: u32 = setup.options.parse("packet_bytes")?;
    // Cyclone's maximum is an hour.
    let lease: f64 = setup.options.in_range("lease_s", 0.1, 3600.0)?;
    let (publisher, own) = (setup.server(), setup.local_address()?);
    // Loopback has no multicast; participants are discovered by address there.
    let (allowed, peers) = match own {
        IpAddr::V4(own) if own.is_loopback() => (
            "false",
            format!(r#"<Peers><Peer Address="{own}"/></Peers>"#),
        ),
        _ if multicast => ("true", String::new()),
        _ => ("spdp", String::new()),
    };
    Ok(format!(
        r#"<CycloneDDS><Domain Id="any"><General><Interfaces><NetworkInterface address="{own}" prefer_multicast="{multicast}"/></Interfaces>
<AllowMulticast>{allowed}</AllowMulticast><MaxMessageSize>{packet} B</MaxMessageSize><FragmentSize>{fragment} B</FragmentSize></General>
<Discovery><LeaseDuration>{lease} s</LeaseDuration><Ports><Base>{}</Base></Ports><ParticipantIndex>auto</ParticipantIndex>{peers}</Discovery>
<Internal><WriteBatch>{batches}</WriteBatch></Internal></Domain></CycloneDDS>"#,
        publisher.port()
    ))
}

/// The QoS policies of the data writer and reader.
///
/// # Errors
/// A fatal fault that names the option.
pub fn settings(setup: &Setup) -> Result<Settings, Fault> {
    let lifespan: f64 = setup.options.parse("lifespan_ms")?;
    let lifespan = Duration::try_from_secs_f64(lifespan / 1000.0)
        .map_err(|error| Fault::fatal("option lifespan_ms", error))?;
    Ok(Settings {
        reliable: reliable(setup),
        transient_local: transient_local(setup)?,
        depth: samples_kept(setup)?,
        lifespan_ns: i64::try_from(lifespan.as_nanos()).unwrap_or(i64::MAX),
    })
}
