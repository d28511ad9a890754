//! TLS from certificate files, which are reloaded when they change.

use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use wearlab_settings::InvalidSetting;

use crate::settings::TlsSettings;

const CERTIFICATE: &str = "http.tls.certificate";
const KEY: &str = "http.tls.key";

/// Hash of the files' content.
type ContentHash = [u8; 32];

/// Current certificate.
#[derive(Clone)]
pub struct Certificates {
    settings: TlsSettings,
    current: watch::Sender<Arc<ServerConfig>>,
    mark: ContentHash,
}

impl Certificates {
    /// # Errors
    ///
    /// If a file cannot be read, or the two do not match.
    pub(super) fn load(settings: TlsSettings) -> Result<Self, InvalidSetting> {
        let (mark, config) = read(&settings)?;
        Ok(Self {
            settings,
            current: watch::Sender::new(Arc::new(config)),
            mark,
        })
    }

    /// Returns the acceptor for the next connection.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.current.borrow().clone())
    }

    /// Polls the files for changes, without end. Content is compared, not time: files are replaced in many ways.
    pub async fn keep_fresh(self) {
        let (mut mark, mut complaint) = (self.mark, String::new());
        loop {
            tokio::time::sleep(self.settings.check_every).await;
            match read(&self.settings) {
                Ok((same, _)) if same == mark => complaint.clear(),
                Ok((new, config)) => {
                    tracing::info!("the certificate has changed, and is in use");
                    self.current.send_replace(Arc::new(config));
                    mark = new;
                    complaint.clear();
                }
                // Logged once for each error: files that are being replaced do not match for a moment.
                Err(error) if error.to_string() != complaint => {
                    complaint = error.to_string();
                    tracing::error!(error = complaint, "the new certificate is not used, the old one stays");
                }
                Err(_) => {}
            }
        }
    }
}

/// Returns all errors of the two files: of each by itself, and if they do not match.
pub(super) fn check(settings: &TlsSettings) -> Vec<InvalidSetting> {
    let certificate = file(CERTIFICATE, &settings.certificate).and_then(|pem| chain(settings, &pem));
    let key = file(KEY, &settings.key).and_then(|pem| private_key(settings, &pem));
    match (certificate, key) {
        (Ok(chain), Ok(key)) => config(settings, chain, key).err().into_iter().collect(),
        (certificate, key) => certificate.err().into_iter().chain(key.err()).collect(),
    }
}

fn read(settings: &TlsSettings) -> Result<(ContentHash, ServerConfig), InvalidSetting> {
    let certificate = file(CERTIFICATE, &settings.certificate)?;
    let key = file(KEY, &settings.key)?;
    let mark = Sha256::new().chain_update(&certificate).chain_update(&key).finalize();
    let (chain, key) = (chain(settings, &certificate)?, private_key(settings, &key)?);
    Ok((mark.into(), config(settings, chain, key)?))
}

fn file(name: &'static str, path: &Path) -> Result<Vec<u8>, InvalidSetting> {
    std::fs::read(path).map_err(|error| InvalidSetting::new(name, format!("cannot read {}: {error}", path.display())))
}

fn at(name: &'static str, path: &Path, what: &str) -> InvalidSetting {
    InvalidSetting::new(name, format!("{}: {what}", path.display()))
}

fn chain(settings: &TlsSettings, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, InvalidSetting> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let chain = chain.ok().filter(|chain| !chain.is_empty());
    chain.ok_or_else(|| at(CERTIFICATE, &settings.certificate, "holds no PEM certificate"))
}

fn private_key(settings: &TlsSettings, pem: &[u8]) -> Result<PrivateKeyDer<'static>, InvalidSetting> {
    PrivateKeyDer::from_pem_slice(pem).map_err(|_| at(KEY, &settings.key, "holds no PEM private key"))
}

fn config(
    settings: &TlsSettings,
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<ServerConfig, InvalidSetting> {
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key));
    let mut config = config.map_err(|error| {
        let what = format!("does not fit the key in {}: {error}", settings.key.display());
        at(CERTIFICATE, &settings.certificate, &what)
    })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
