//! TLS 1.3 from the first byte (XEP-0368).

use std::fmt::Display;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;
use wirelab_peer::{Fault, Setup};

/// What the option `transport` asks for: `None` for bare TCP.
///
/// # Errors
/// A fatal fault that names the option or the file.
pub fn connector(setup: &Setup) -> Result<Option<TlsConnector>, Fault> {
    match setup.options.text("transport") {
        "tcp" => Ok(None),
        "tls" => trusting(setup.options.text("authority")).map(Some),
        other => Err(Fault::fatal(
            "option transport",
            format!("{other:?} is neither tcp nor tls"),
        )),
    }
}

fn trusting(path: &str) -> Result<TlsConnector, Fault> {
    let named = |error: &dyn Display| Fault::fatal(format!("authority {path:?}"), error);
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
    Ok(TlsConnector::from(Arc::new(config)))
}
