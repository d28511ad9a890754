//! TLS configuration of connections to a server.

use std::error::Error;
use std::fs;
use std::sync::Arc;

use rustls_platform_verifier::Verifier;
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

use super::settings::PostgresSettings;
use crate::error::DatabaseError;

/// Creates a connector that trusts the certificates of the system, and those that an operator adds.
pub(super) fn connector(settings: &PostgresSettings) -> Result<MakeRustlsConnect, DatabaseError> {
    let config = client_config(settings).map_err(|source| DatabaseError::Unusable {
        path: settings.authorities_file.clone().unwrap_or_default(),
        source,
    })?;
    Ok(MakeRustlsConnect::new(config))
}

fn client_config(settings: &PostgresSettings) -> Result<ClientConfig, Box<dyn Error + Send + Sync>> {
    let mut roots = Vec::new();
    if let Some(file) = &settings.authorities_file {
        let pem = fs::read(file)?;
        for certificate in CertificateDer::pem_slice_iter(&pem) {
            roots.push(certificate?);
        }
        if roots.is_empty() {
            return Err("the file has no certificate".into());
        }
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = Verifier::new_with_extra_roots(roots, Arc::clone(&provider))?;
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}
