//! TLS with brokers: certificates of the system and of the operator.

use std::sync::Arc;

use rustls_platform_verifier::Verifier;
use tokio_rustls::rustls::client::danger::ServerCertVerifier;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{self, ClientConfig};

use crate::Reason;

/// Verifies certificates by the system's and `extra_roots`, each as PEM.
pub(crate) fn verifier(extra_roots: &[Vec<u8>]) -> Result<Arc<dyn ServerCertVerifier>, Reason> {
    let roots = extra_roots.iter().flat_map(|pem| CertificateDer::pem_slice_iter(pem));
    let roots: Result<Vec<_>, _> = roots.collect();
    let roots = roots.map_err(|_| Reason::new("no TLS: a certificate in `extra_roots` is not PEM"))?;
    let verifier = Verifier::new_with_extra_roots(roots, Arc::new(aws_lc_rs::default_provider())).map_err(failed)?;
    Ok(Arc::new(verifier))
}

/// Returns a configuration with a verifier, without a certificate of the client.
pub(crate) fn client_config(verifier: Arc<dyn ServerCertVerifier>) -> Result<Arc<ClientConfig>, Reason> {
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(failed)?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

#[expect(clippy::needless_pass_by_value, reason = "passed to map_err")]
fn failed(error: rustls::Error) -> Reason {
    Reason::cause("no TLS: check the system's certificates and `extra_roots`", &error)
}
