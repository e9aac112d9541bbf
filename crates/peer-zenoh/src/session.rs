//! A session with a router, and a round trip to know what has reached it.

use std::fmt;
use std::time::{Duration, Instant};

use wirelab_peer::{Fault, Setup};
use wirelab_transport::dial;
use wirelab_transport::tls::client_config_if_enabled;
use zenoh::qos::{CongestionControl, Priority};
use zenoh::{Config, Session, Wait};

/// Lease time of a link. Link traces have long gaps, and a broken connection is detected anyway.
const NEVER_EXPIRES: Duration = Duration::from_hours(24);

/// Opens a session as a client of the trial's router.
///
/// # Errors
/// A fatal fault that names the option, or the router and the cause.
pub fn open(setup: &Setup) -> Result<Session, Fault> {
    let tls = client_config_if_enabled(setup, &[])?;
    let config = config(setup, tls.is_some()).map_err(|error| fault(setup, "configure", error))?;
    let began = Instant::now();
    zenoh::open(config).wait().map_err(|error| {
        if began.elapsed() >= setup.connect_timeout {
            return setup.timed_out("connect");
        }
        // The library gives no reason; a second connection attempt through the system or rustls
        // does.
        let why = || Fault::fatal(format!("connect {}", setup.server()), error);
        dial(setup, tls).err().unwrap_or_else(why)
    })
}

fn config(setup: &Setup, encrypted: bool) -> zenoh::Result<Config> {
    let mut config = Config::default();
    let carrier = if encrypted { "tls" } else { "tcp" };
    if encrypted {
        let authority = format!("{:?}", setup.options.text("authority"));
        config.insert_json5("transport/link/tls/root_ca_certificate", &authority)?;
    }
    for (key, value) in [
        ("mode", r#""client""#.to_owned()),
        (
            "connect/endpoints",
            format!(r#"["{carrier}/{}"]"#, setup.server()),
        ),
        // As docs/contracts/peer.md requires.
        (
            "connect/retry",
            "{period_init_ms: 10, period_max_ms: 500, period_increase_factor: 2}".to_owned(),
        ),
        ("scouting/multicast/enabled", "false".to_owned()),
        ("scouting/gossip/enabled", "false".to_owned()),
        (
            "transport/unicast/open_timeout",
            setup.connect_timeout.as_millis().to_string(),
        ),
        (
            "transport/link/tx/lease",
            NEVER_EXPIRES.as_millis().to_string(),
        ),
        (
            "transport/link/tx/queue/congestion_control/block/wait_before_close",
            NEVER_EXPIRES.as_micros().to_string(),
        ),
    ] {
        config.insert_json5(key, &value)?;
    }
    Ok(config)
}

/// Waits until the router has received everything sent before at this priority, by a query that
/// follows it. Returns false on a timeout.
pub fn round_trip(session: &Session, priority: Priority, within: Duration) -> bool {
    let Some(router) = session.info().routers_zid().wait().next() else {
        return false;
    };
    session
        .get(format!("@/{router}/router"))
        .priority(priority)
        .congestion_control(CongestionControl::Block)
        .timeout(within)
        .wait()
        .is_ok_and(|replies| replies.recv().is_ok_and(|reply| reply.result().is_ok()))
}

/// A fatal fault that names the router.
pub fn fault(setup: &Setup, what: &str, why: impl fmt::Display) -> Fault {
    Fault::fatal(format!("{what} at {}", setup.server()), why)
}
