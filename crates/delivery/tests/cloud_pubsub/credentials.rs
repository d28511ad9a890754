//! Credentials: accepted by a service that checks them, and invalid ones.

use std::path::PathBuf;
use std::sync::OnceLock;

use rcgen::KeyPair;
use serde_json::{Value, json};
use wearlab_delivery::Destination;
use wearlab_delivery::cloud_pubsub::{Settings, Topic};

use super::service::Service;
use super::{all_delivered, block, number, rounds, settings, variable, why_down};

/// The certificate for localhost that is trusted during the tests, and its key.
fn certificate() -> &'static (String, String) {
    static MADE: OnceLock<(String, String)> = OnceLock::new();
    MADE.get_or_init(|| {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        let directory = PathBuf::from(variable("PUBSUB_CERTIFICATES"));
        let (chain, key) = (directory.join("chain.pem"), directory.join("key.pem"));
        std::fs::write(&chain, made.cert.pem()).expect("writes");
        std::fs::write(&key, made.signing_key.serialize_pem()).expect("writes");
        let text = |path: PathBuf| path.to_str().expect("a path").to_owned();
        (text(chain), text(key))
    })
}

/// A service account with its key.
pub(crate) struct Account {
    key: KeyPair,
    directory: tempfile::TempDir,
}

impl Account {
    pub(crate) fn make() -> Self {
        let key = KeyPair::generate_rsa_for(&rcgen::PKCS_RSA_SHA256, rcgen::RsaKeySize::_2048).expect("a key");
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("public.pem"), key.public_key_pem()).expect("writes");
        Self { key, directory }
    }

    /// Arguments of a service that accepts this account's tokens.
    pub(crate) fn arguments(&self) -> [&str; 3] {
        let (chain, key) = certificate();
        // Leaked with the test's process.
        let public = self
            .directory
            .path()
            .join("public.pem")
            .to_str()
            .expect("a path")
            .to_owned();
        [chain, key, public.leak()]
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "type": "service_account",
            "project_id": super::PROJECT,
            "private_key_id": "key-1",
            "private_key": self.key.serialize_pem(),
            "client_email": "publisher@wearlab-tests.iam.gserviceaccount.com",
            "client_id": "1",
        })
    }

    /// A file with a truncated key.
    pub(crate) fn torn(&self) -> Value {
        let mut json = self.json();
        let key = self.key.serialize_pem();
        json["private_key"] = json!(key[..key.len() / 2]);
        json
    }

    /// The key in place of JSON.
    pub(crate) fn pem(&self) -> Value {
        json!(self.key.serialize_pem())
    }

    /// A line of the key.
    pub(crate) fn key_line(&self) -> String {
        let pem = self.key.serialize_pem();
        pem.lines().nth(7).expect("a line").to_owned()
    }

    pub(crate) fn file(&self, name: &str, content: impl ToString) -> PathBuf {
        let path = self.directory.path().join(name);
        std::fs::write(&path, content.to_string()).expect("writes");
        path
    }
}

fn with(endpoint: String, credentials_file: Option<PathBuf>, kind: &str) -> Topic {
    let settings = Settings {
        credentials_file,
        ..settings(&endpoint)
    };
    Topic::new(&block(&format!("t{}-{kind}", number()), true), settings).expect("a topic")
}

#[tokio::test]
#[ignore = "needs PyPI google-cloud-pubsub"]
async fn a_service_account_is_let_in_and_another_is_not() {
    let (account, other) = (Account::make(), Account::make());
    let service = Service::with(&account.arguments());
    let file = account.file("key.json", account.json());
    let topic = with(service.secure(), Some(file.clone()), "fine");
    assert!(all_delivered(&topic.deliver(&rounds(10, 5)).await));
    assert!(service.requests(10).iter().all(|request| request.taken));

    // The file is read again after its credentials were rejected.
    account.file("key.json", other.json());
    let topic = with(service.secure(), Some(file), "fine");
    let reason = why_down(&topic).await;
    assert!(reason.starts_with("the credentials were rejected: "), "{reason}");
    account.file("key.json", account.json());
    assert!(all_delivered(&topic.deliver(&rounds(1, 1)).await));
}

#[tokio::test]
#[ignore = "needs PyPI google-cloud-pubsub"]
async fn files_that_are_none_say_so() {
    let account = Account::make();
    let service = Service::with(&account.arguments());
    let changed = |field: &str, value: Value| {
        let mut json = account.json();
        json[field] = value;
        account.file(&format!("{field}.json"), json)
    };
    for (file, says) in [
        (
            PathBuf::from("/nowhere/key.json"),
            "cannot read the credentials file: entity not found",
        ),
        (account.file("empty.json", ""), "the credentials file is not JSON: "),
        (
            account.file("torn.json", &account.json().to_string()[..900]),
            "the credentials file is not JSON: ",
        ),
        (
            account.file("pem.json", account.pem()),
            "the credentials file has no supported `type`: ",
        ),
        (
            changed("type", json!("hunter2")),
            "the credentials file has no supported `type`: ",
        ),
        (
            changed("client_email", json!(7031)),
            "the credentials file lacks fields that its `type` needs: ",
        ),
        (
            changed("private_key", account.torn()["private_key"].clone()),
            "no token with the credentials file: its key",
        ),
        (
            changed("private_key", json!("hunter2")),
            "no token with the credentials file: its key",
        ),
    ] {
        let topic = with(service.secure(), Some(file), "fine");
        let reason = why_down(&topic).await;
        assert!(reason.starts_with(says), "{reason}, not {says}");
        assert!(!reason.contains("hunter2") && !reason.contains("7031"), "{reason}");
    }
    let user = json!({"type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "t",
        "token_uri": "http://127.0.0.1:1/token"});
    let topic = with(service.secure(), Some(account.file("user.json", user)), "fine");
    let reason = why_down(&topic).await;
    assert_eq!(
        reason,
        "no token with the credentials file: Google's token service does not respond"
    );
}

/// Run where neither a file nor a metadata server is found.
#[tokio::test]
#[ignore = "needs PyPI google-cloud-pubsub"]
async fn without_credentials_it_says_what_to_give() {
    assert_eq!(variable("GCE_METADATA_HOST"), "127.0.0.1:1");
    let service = Service::with(&Account::make().arguments());
    let topic = with(service.secure(), None, "fine");
    let reason = why_down(&topic).await;
    assert!(
        reason.starts_with("no token with Google's Application Default Credentials: set a credentials file"),
        "{reason}"
    );
}

#[tokio::test]
#[ignore = "needs PyPI google-cloud-pubsub"]
async fn certificates_must_be_trusted() {
    let account = Account::make();
    let service = Service::with(&account.arguments());
    let file = account.file("key.json", account.json());
    // The certificate is for localhost.
    let by_address = service.secure().replace("localhost", "127.0.0.1");
    let reason = why_down(&with(by_address, Some(file), "fine")).await;
    assert!(reason.starts_with("no connection to 127.0.0.1:"), "{reason}");
    assert!(reason.contains("certificate"), "{reason}");
}
