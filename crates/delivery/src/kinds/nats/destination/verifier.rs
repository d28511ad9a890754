//! Verifier of certificates for connections by address.

use std::fmt;
use std::sync::{Arc, OnceLock};

use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{DigitallySignedStruct, Error, SignatureScheme};

use crate::Reason;
use crate::tls::verifier;

/// Certificates that are trusted. The verifier is built when it is first needed.
pub(super) struct Trust {
    extra_roots: Vec<Vec<u8>>,
    verifier: OnceLock<Arc<dyn ServerCertVerifier>>,
}

impl Trust {
    /// Trusts the system's certificates and `extra_roots`, each as PEM.
    pub(super) fn new(extra_roots: Vec<Vec<u8>>) -> Self {
        Self {
            extra_roots,
            verifier: OnceLock::new(),
        }
    }

    /// Returns the verifier. If it cannot be built, the next call tries again.
    pub(super) fn verifier(&self) -> Result<&Arc<dyn ServerCertVerifier>, Reason> {
        match self.verifier.get() {
            Some(verifier) => Ok(verifier),
            None => {
                let built = verifier(&self.extra_roots)?;
                Ok(self.verifier.get_or_init(|| built))
            }
        }
    }
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Trust(..)")
    }
}

/// Verifies certificates for the host of the URL: the client knows only the address that it connects to.
#[derive(Debug)]
pub(super) struct HostVerifier {
    pub(super) host: String,
    pub(super) trust: Arc<Trust>,
}

impl HostVerifier {
    fn verifier(&self) -> Result<&Arc<dyn ServerCertVerifier>, Error> {
        self.trust
            .verifier()
            .map_err(|reason| Error::General(reason.to_string()))
    }
}

impl ServerCertVerifier for HostVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let host = ServerName::try_from(self.host.as_str())
            .map_err(|_| Error::General("no certificate can be for the host".to_owned()))?;
        self.verifier()?
            .verify_server_cert(end_entity, intermediates, &host, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier()?.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier()?.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let provider = aws_lc_rs::default_provider();
        provider.signature_verification_algorithms.supported_schemes()
    }
}
