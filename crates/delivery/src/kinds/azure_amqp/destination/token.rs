//! Tokens for a namespace, signed with a policy's key.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sha2::Sha256;
use wearlab_models::Secret;

use crate::kinds::azure_amqp::config::{NamespaceConfig, NamespaceCredential};

impl NamespaceConfig {
    /// The audience of a token for a hub.
    pub(super) fn audience(&self, hub: &str) -> String {
        format!("sb://{}/{hub}", self.host)
    }

    /// A token for an audience, valid until a time in seconds since 1970.
    pub(super) fn token(&self, audience: &str, until: u64) -> Secret {
        match &self.credential {
            NamespaceCredential::Token(token) => token.clone(),
            NamespaceCredential::Key { name, key } => {
                let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
                let audience = encode(audience);
                let mut mac = Hmac::<Sha256>::new_from_slice(key.expose().as_bytes()).expect("a key of any length");
                mac.update(format!("{audience}\n{until}").as_bytes());
                let signature = encode(&STANDARD.encode(mac.finalize().into_bytes()));
                let name = encode(name);
                Secret::from(format!(
                    "SharedAccessSignature sr={audience}&sig={signature}&se={until}&skn={name}"
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::azure_amqp::config::NamespaceConfig;

    /// Computed by Python's hmac and urllib.parse.quote.
    #[test]
    fn tokens_are_signed_as_the_service_checks_them() {
        let endpoint = NamespaceConfig::parse(
            "Endpoint=sb://n.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=a2V5",
        )
        .expect("an endpoint");
        let audience = endpoint.audience("events");
        assert_eq!(audience, "sb://n.servicebus.windows.net/events");
        assert_eq!(
            endpoint.token(&audience, 1_800_000_000).expose(),
            "SharedAccessSignature sr=sb%3A%2F%2Fn%2Eservicebus%2Ewindows%2Enet%2Fevents&sig=lVoecGquKgZ%2FJOJIiQlajN39FJLVcJPewC9gd%2BNLnv8%3D&se=1800000000&skn=send"
        );
        let made = "Endpoint=sb://n;SharedAccessSignature=SharedAccessSignature sr=a&sig=b%3D&se=1&skn=c";
        let made = NamespaceConfig::parse(made).expect("an endpoint");
        assert_eq!(
            made.token("x", 9).expose(),
            "SharedAccessSignature sr=a&sig=b%3D&se=1&skn=c"
        );
    }
}
