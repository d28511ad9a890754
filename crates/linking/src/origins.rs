//! Origins of the URLs that a provider's tokens and codes are sent to: only the host that issued a token, and the host
//! of the revocation endpoint at the time of consent, receive it, even if the settings change later.

use reqwest::Url;
use wearlab_models::ProviderSettings;
use wearlab_store::{OAuthTokens, StoredProviderSettings, TokenOrigins};

/// Returns the origin of a URL: scheme, host and port.
pub fn origin(url: &str) -> String {
    Url::parse(url).map_or_else(|_| String::new(), |url| url.origin().ascii_serialization())
}

/// Returns the origins of settings, for tokens that are issued now.
pub(crate) fn origins(settings: &ProviderSettings) -> TokenOrigins {
    TokenOrigins {
        token: origin(&settings.token_url),
        revocation: settings.revocation_url.as_deref().map(origin),
    }
}

/// Returns the origins for tokens without their own, if settings replace those `before`. Settings that replace none
/// have issued no tokens.
pub fn earlier_origins(before: Option<&StoredProviderSettings>) -> TokenOrigins {
    let before = before.map(|before| {
        let earlier = before.earlier_origins.clone();
        earlier.unwrap_or_else(|| origins(&before.settings))
    });
    before.unwrap_or_default()
}

/// Returns the origins of the grant of tokens.
pub(super) fn grant_origins(stored: &StoredProviderSettings, tokens: &OAuthTokens) -> TokenOrigins {
    let known = tokens.origins.clone().or_else(|| stored.earlier_origins.clone());
    known.unwrap_or_else(|| origins(&stored.settings))
}

/// Returns whether tokens may be sent to the token URL of settings.
pub(super) fn may_refresh(stored: &StoredProviderSettings, tokens: &OAuthTokens) -> bool {
    grant_origins(stored, tokens).token == origin(&stored.settings.token_url)
}

/// Returns whether tokens may be sent to a revocation URL: one at the origin that issued them, or at the origin of the
/// revocation endpoint in the settings of that time.
pub(super) fn may_revoke(stored: &StoredProviderSettings, tokens: &OAuthTokens, url: &str) -> bool {
    let (known, url) = (grant_origins(stored, tokens), origin(url));
    known.token == url || known.revocation == Some(url)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wearlab_models::Secret;
    use wearlab_store::{OAuthTokens, StoredProviderSettings};

    use super::{earlier_origins, may_refresh, may_revoke, origins};

    fn stored(host: &str, before: Option<&StoredProviderSettings>) -> StoredProviderSettings {
        let settings = json!({
            "slug": "stridewell", "client_id": "id", "authorization_url": "https://auth.example.com/",
            "token_url": format!("https://{host}/token"), "revocation_url": format!("https://revoke.{host}/"),
            "scopes": {}, "extra_scopes": [], "token_auth_method": "none",
        });
        StoredProviderSettings {
            settings: serde_json::from_value(settings).expect("settings"),
            client_secret: None,
            earlier_origins: Some(earlier_origins(before)),
            is_provisioned: false,
        }
    }

    fn tokens(of: Option<&StoredProviderSettings>) -> OAuthTokens {
        OAuthTokens {
            access_token: Secret::new("a"),
            token_type: "Bearer".to_owned(),
            refresh_token: None,
            expires_at: None,
            scopes: Vec::new(),
            origins: of.map(|of| origins(&of.settings)),
        }
    }

    #[test]
    fn tokens_go_where_they_came_from_and_nowhere_else() {
        let old = StoredProviderSettings {
            earlier_origins: None,
            ..stored("old.example", None)
        };
        let moved = stored("new.example", Some(&old));
        let anew = stored("old.example", None);
        let back = stored("old.example", Some(&moved));
        for (settings, named, unnamed) in [
            (&old, true, true),
            (&moved, false, false),
            (&back, true, true),
            (&anew, true, false),
        ] {
            for (tokens, fits) in [(tokens(Some(&old)), named), (tokens(None), unnamed)] {
                assert_eq!(may_refresh(settings, &tokens), fits);
                let url = settings.settings.revocation_url.as_deref().expect("one");
                assert_eq!(may_revoke(settings, &tokens, url), fits);
            }
        }
        assert!(may_revoke(&old, &tokens(Some(&old)), "https://old.example/other"));
        for other in [
            "http://old.example/",
            "https://old.example:8443/",
            "https://old.example.evil/",
            "",
        ] {
            assert!(!may_revoke(&old, &tokens(Some(&old)), other), "{other}");
        }
    }
}
