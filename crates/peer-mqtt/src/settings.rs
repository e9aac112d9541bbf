//! What `prepare` sets, as the library takes it.

use std::sync::Arc;
use std::time::Duration;

use rumqttc::{TlsConfiguration, Transport};
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore};
use wirelab_peer::{Fault, Setup};

/// Options as values.
pub struct Settings {
    /// The host, or the URL where WebSocket carries MQTT.
    pub host: String,
    pub transport: Transport,
    pub keep_alive: Duration,
    pub inflight: u16,
    pub queue: usize,
    pub clean: bool,
}

impl Settings {
    /// Reads the options of both versions.
    ///
    /// # Errors
    /// A fatal fault that names the option.
    pub fn read(setup: &Setup) -> Result<Self, Fault> {
        let inflight = setup.options.parse("inflight")?;
        if inflight == 0 {
            return Err(Fault::fatal(
                "option inflight",
                "0 would let no message out",
            ));
        }
        let (host, transport) = transport(setup)?;
        Ok(Self {
            host,
            transport,
            keep_alive: Duration::from_secs(setup.options.parse::<u16>("keep_alive_s")?.into()),
            inflight,
            queue: setup.options.parse("queue")?,
            clean: setup.options.parse("clean")?,
        })
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
                format!("{other:?} is none of tcp, tls, ws, wss"),
            ));
        }
    })
}

/// TLS 1.3, trusting the one authority that the option names.
fn tls(setup: &Setup) -> Result<TlsConfiguration, Fault> {
    let path = setup.options.text("authority");
    let named = |error: &dyn std::fmt::Display| Fault::fatal(format!("authority {path:?}"), error);
    let mut trusted = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| named(&error))? {
        let certificate = certificate.map_err(|error| named(&error))?;
        trusted.add(certificate).map_err(|error| named(&error))?;
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&TLS13])
        .map_err(|error| named(&error))?
        .with_root_certificates(trusted)
        .with_no_client_auth();
    Ok(TlsConfiguration::Rustls(Arc::new(config)))
}
