//! The options in the form that the library needs.

use std::sync::Arc;
use std::time::Duration;

use rumqttc::{TlsConfiguration, Transport};
use wirelab_peer::{Fault, Setup};
use wirelab_transport::tls::client_config;

/// The parsed options.
pub struct Settings {
    /// Host name, or URL for MQTT over WebSocket.
    pub host: String,
    pub transport: Transport,
    pub keep_alive: Duration,
    pub inflight: u16,
    pub queue: usize,
    pub clean: bool,
    /// User and password, if set.
    pub login: Option<(String, String)>,
}

impl Settings {
    /// Reads the options that both versions share.
    ///
    /// # Errors
    /// A fatal fault that names the option.
    pub fn read(setup: &Setup) -> Result<Self, Fault> {
        let inflight = setup.options.parse("inflight")?;
        if inflight == 0 {
            return Err(Fault::fatal("option inflight", "must be above 0"));
        }
        let (host, transport) = transport(setup)?;
        Ok(Self {
            host,
            transport,
            keep_alive: Duration::from_secs(setup.options.parse::<u16>("keep_alive_s")?.into()),
            inflight,
            queue: setup.options.parse("queue")?,
            clean: setup.options.parse("clean")?,
            login: login(setup)?,
        })
    }
}

/// User and password, if a user is set.
///
/// # Errors
/// A fatal fault that names the option.
pub fn login(setup: &Setup) -> Result<Option<(String, String)>, Fault> {
    let text = |name: &str| setup.options.text(name).to_owned();
    match (text("user"), text("password")) {
        (user, password) if !user.is_empty() => Ok(Some((user, password))),
        (_, password) if password.is_empty() => Ok(None),
        _ => Err(Fault::fatal("option password", "give a user as well")),
    }
}

fn transport(setup: &Setup) -> Result<(String, Transport), Fault> {
    let server = setup.server();
    let host = if server.is_ipv6() {
        format!("[{}]", server.ip())
    } else {
        server.ip().to_string()
    };
    Ok(match setup.options.text("transport") {
        "tcp" => (host, Transport::Tcp),
        "ws" => (format!("ws://{server}/mqtt"), Transport::Ws),
        "tls" => (host, Transport::Tls(tls(setup)?)),
        "wss" => (format!("wss://{server}/mqtt"), Transport::Wss(tls(setup)?)),
        other => {
            return Err(Fault::fatal(
                "option transport",
                format!("{other:?} is not one of tcp, tls, ws, wss"),
            ));
        }
    })
}

fn tls(setup: &Setup) -> Result<TlsConfiguration, Fault> {
    client_config(setup, &[]).map(|config| TlsConfiguration::Rustls(Arc::new(config)))
}
