//! Simulated provider of a demo: a consent page and a token endpoint of OAuth 2.0 on the demo's own address.
//!
//! It serves to try out linking, and only in a demo (`Server::with_demo`). Anyone may consent, there are no accounts,
//! and its tokens give access to nothing. Refresh tokens are signed with a key of the store, so that those of a kept
//! data directory survive a restart.
//!
//! | URL | content |
//! |---|---|
//! | `GET /simulated-provider/authorize` | the consent page: links that redirect back with a code, or with
//! `access_denied` |
//! | `POST /simulated-provider/token` | tokens for a code with its PKCE verifier, or for a refresh token |
//! | `POST /simulated-provider/revoke` | 200 |

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::response::Response;
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use url::Url;
use wearlab_linking::random_text;
use wearlab_models::{OAuthProvider, ProviderSettings, RedirectUriMode, ResourceName, ScopeSet, TokenAuthMethod};
use wearlab_store::StoredProviderSettings;

use crate::page_headers::PageHeaders;

const AUTHORIZE: &str = "/simulated-provider/authorize";
const TOKEN: &str = "/simulated-provider/token";
const REVOKE: &str = "/simulated-provider/revoke";
/// Id of the only client. A real provider does not issue such an id.
const CLIENT_ID: &str = "simulated-by-the-demo";
/// Lifetime of an access token, in s.
const LIFETIME: u32 = 3600;
/// Maximum number of codes. At the limit all are dropped: their consent pages are likely to be closed.
const MAX_CODES: usize = 1_000;
const STYLE: &str = include_str!("pages/style.css");

/// Returns the settings that link a provider of the catalogue by the simulated one, for a demo at `base_url`.
pub fn settings(base_url: &str, provider: &OAuthProvider) -> StoredProviderSettings {
    let slug = &provider.slug;
    let set = |required: &[&str]| {
        ScopeSet::builder()
            .required(required.iter().map(|scope| (*scope).to_owned()).collect())
            .optional(Vec::new())
            .build()
    };
    let scopes = [
        (ResourceName::Activity, set(&["activity"])),
        (ResourceName::Steps, set(&["activity"])),
        (ResourceName::Heartrate, set(&["heart"])),
        (ResourceName::Sleep, set(&["sleep"])),
    ];
    let settings = ProviderSettings::builder()
        .slug(slug)
        .client_id(CLIENT_ID)
        .authorization_url(format!("{base_url}{AUTHORIZE}?provider={slug}"))
        .token_url(format!("{base_url}{TOKEN}"))
        .revocation_url(format!("{base_url}{REVOKE}"))
        .scopes(scopes.into())
        .extra_scopes(vec!["offline".to_owned()])
        .token_auth_method(TokenAuthMethod::None)
        .redirect_uri_mode(RedirectUriMode::Own)
        .build();
    StoredProviderSettings {
        settings,
        client_secret: None,
        earlier_origins: None,
        is_provisioned: false,
    }
}

/// Returns whether settings are of a simulated provider, such as that of an earlier demo at another address.
pub fn is_simulated(stored: &StoredProviderSettings) -> bool {
    stored.settings.client_id == CLIENT_ID
}

/// Simulated provider.
#[derive(Clone)]
pub struct SimulatedProvider {
    /// Base URL of the demo, which redirect URIs must begin with.
    base_url: Arc<str>,
    /// Names of providers by their slugs.
    names: Arc<HashMap<String, String>>,
    grants: Arc<Mutex<Grants>>,
    keys: Arc<TokenKeys>,
}

/// Codes and refresh tokens of this run.
#[derive(Default)]
struct Grants {
    /// Codes that are not used yet.
    codes: HashMap<String, CodeGrant>,
    /// Refresh tokens that were already exchanged.
    spent: HashSet<String>,
}

/// Keys of the signatures of refresh tokens. The first signs, each verifies.
struct TokenKeys(Vec<[u8; 32]>);

impl TokenKeys {
    /// Creates a refresh token: a random id and its signature.
    fn issue(&self) -> String {
        let id = random_text();
        let signature = self.0.first().map(|key| signature(key, &id)).unwrap_or_default();
        format!("{id}.{signature}")
    }

    /// Returns whether a token was issued by this run or an earlier one.
    fn verify(&self, token: &str) -> bool {
        let Some((id, signed)) = token.split_once('.') else {
            return false;
        };
        let fits = |key: &[u8; 32]| bool::from(signature(key, id).as_bytes().ct_eq(signed.as_bytes()));
        !id.is_empty() && self.0.iter().any(fits)
    }
}

fn signature(key: &[u8; 32], id: &str) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        unreachable!("HMAC takes keys of any length")
    };
    mac.update(id.as_bytes());
    URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
}

struct CodeGrant {
    challenge: String,
    redirect_uri: String,
    scope: String,
}

/// Parameters of a query or a form.
type Parameters = HashMap<String, String>;

fn parameters(encoded: &[u8]) -> Parameters {
    form_urlencoded::parse(encoded).into_owned().collect()
}

fn parameter<'p>(parameters: &'p Parameters, name: &str) -> &'p str {
    parameters.get(name).map(String::as_str).unwrap_or_default()
}

impl SimulatedProvider {
    /// Creates a provider with the names of `providers`, for a demo at `base_url`. `keys` sign its refresh tokens.
    pub fn new(base_url: &str, providers: &[OAuthProvider], keys: Vec<[u8; 32]>) -> Self {
        let names = providers.iter().map(|one| (one.slug.to_string(), one.name.clone()));
        Self {
            base_url: base_url.into(),
            names: Arc::new(names.collect()),
            grants: Arc::default(),
            keys: Arc::new(TokenKeys(keys)),
        }
    }

    /// Returns the routes.
    pub fn routes<S: Clone + Send + Sync + 'static>(self) -> Router<S> {
        Router::new()
            .route(AUTHORIZE, get(authorize))
            .route(TOKEN, post(token))
            .route(REVOKE, post(async || StatusCode::OK))
            .with_state(self)
    }

    fn grants(&self) -> MutexGuard<'_, Grants> {
        self.grants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a URL is the demo's own callback: codes are sent nowhere else.
    fn is_own(&self, redirect_uri: &str) -> bool {
        let callback = format!("{}/link/callback", self.base_url);
        redirect_uri
            .strip_prefix(&callback)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Exchanges a grant for tokens.
    fn exchange(&self, form: &Parameters) -> Result<Value, &'static str> {
        let of = |name: &str| parameter(form, name);
        let mut grants = self.grants();
        let scope = match of("grant_type") {
            "authorization_code" => {
                let grant = grants.codes.remove(of("code")).ok_or("invalid_grant")?;
                let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(of("code_verifier")));
                if challenge != grant.challenge || of("redirect_uri") != grant.redirect_uri {
                    return Err("invalid_grant");
                }
                Some(grant.scope)
            }
            "refresh_token" => {
                let token = of("refresh_token");
                let is_valid = self.keys.verify(token) && grants.spent.insert(token.to_owned());
                is_valid.then_some(None).ok_or("invalid_grant")?
            }
            _ => return Err("unsupported_grant_type"),
        };
        let refresh_token = self.keys.issue();
        let mut tokens = json!({
            "access_token": random_text(), "token_type": "Bearer", "expires_in": LIFETIME, "refresh_token": refresh_token,
        });
        if let Some(scope) = scope {
            tokens["scope"] = json!(scope);
        }
        Ok(tokens)
    }
}

async fn authorize(State(provider): State<SimulatedProvider>, uri: Uri) -> Response {
    let asked = parameters(uri.query().unwrap_or_default().as_bytes());
    let of = |name: &str| parameter(&asked, name);
    let back = Url::parse(of("redirect_uri"))
        .ok()
        .filter(|_| provider.is_own(of("redirect_uri")) && of("client_id") == CLIENT_ID);
    let Some(back) = back else {
        let content = html! {
            h1 { "This request is not of the demo" }
            p { "The simulated provider links users of its own demo alone." }
        };
        return page(StatusCode::BAD_REQUEST, "Not of the demo", &content);
    };
    let name = provider.names.get(of("provider"));
    let name = name.map_or("a provider", String::as_str);
    let to = |name: &str, value: &str| {
        let mut url = back.clone();
        url.query_pairs_mut()
            .append_pair(name, value)
            .append_pair("state", of("state"));
        url
    };
    let code = random_text();
    let (allow, deny) = (to("code", &code), to("error", "access_denied"));
    let content = html! {
        p.simulated { strong { "Simulated by the demo." } " Nobody signs in here, and nothing leaves this machine." }
        h1 { "Share your " (name) " data?" }
        p { "The app would like to read: " strong { (of("scope").replace(' ', ", ")) } "." }
        p { a.button href=(allow) { "Allow" } }
        p { a href=(deny) { "Do not allow" } }
    };
    let response = page(StatusCode::OK, &format!("Simulated consent page of {name}"), &content);
    let mut grants = provider.grants();
    if grants.codes.len() >= MAX_CODES {
        grants.codes.clear();
    }
    let grant = CodeGrant {
        challenge: of("code_challenge").to_owned(),
        redirect_uri: of("redirect_uri").to_owned(),
        scope: of("scope").to_owned(),
    };
    grants.codes.insert(code, grant);
    response
}

async fn token(State(provider): State<SimulatedProvider>, body: Bytes) -> Response {
    let (status, value) = match provider.exchange(&parameters(&body)) {
        Ok(tokens) => (StatusCode::OK, tokens),
        Err(error) => (StatusCode::BAD_REQUEST, json!({"error": error})),
    };
    let mut response = wearlab_server::content("application/json", value.to_string());
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn page(status: StatusCode, title: &str, content: &Markup) -> Response {
    let text = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { main { (content) } }
        }
    };
    let mut response = wearlab_server::content("text/html; charset=utf-8", text.into_string());
    *response.status_mut() = status;
    let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
    );
    let headers = PageHeaders {
        policy: HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'")),
        cache: "no-store",
        referrer: "no-referrer",
    };
    headers.mark(&mut response);
    response
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use sha2::{Digest, Sha256};

    use super::{CodeGrant, SimulatedProvider};

    const CALLBACK: &str = "http://127.0.0.1:8080/link/callback";

    fn provider() -> SimulatedProvider {
        SimulatedProvider::new("http://127.0.0.1:8080", &[], vec![[7; 32]])
    }

    fn form(pairs: &[(&str, &str)]) -> HashMap<String, String> {
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        pairs.collect()
    }

    #[test]
    fn users_are_sent_back_to_the_demo_alone() {
        let provider = provider();
        for own in [CALLBACK, "http://127.0.0.1:8080/link/callback/org/stridewell"] {
            assert!(provider.is_own(own), "{own}");
        }
        for other in [
            "",
            "http://127.0.0.1:8080/",
            "http://127.0.0.1:8080/link/callbacks",
            "http://127.0.0.1:80800/link/callback",
            "https://example.com/link/callback",
            "http://127.0.0.1:8080@example.com/link/callback",
        ] {
            assert!(!provider.is_own(other), "{other}");
        }
    }

    #[test]
    fn a_code_is_good_once_and_with_its_verifier() {
        let provider = provider();
        let grant = || CodeGrant {
            challenge: URL_SAFE_NO_PAD.encode(Sha256::digest("verifier")),
            redirect_uri: CALLBACK.to_owned(),
            scope: "sleep".to_owned(),
        };
        let asked = |verifier: &str, uri: &str| {
            let grant_type = ("grant_type", "authorization_code");
            form(&[
                grant_type,
                ("code", "c"),
                ("code_verifier", verifier),
                ("redirect_uri", uri),
            ])
        };
        for (verifier, uri) in [
            ("another", CALLBACK),
            ("verifier", "https://example.com/"),
            ("", CALLBACK),
        ] {
            provider.grants().codes.insert("c".to_owned(), grant());
            assert_eq!(
                provider.exchange(&asked(verifier, uri)),
                Err("invalid_grant"),
                "{verifier} {uri}"
            );
        }
        provider.grants().codes.insert("c".to_owned(), grant());
        let tokens = provider.exchange(&asked("verifier", CALLBACK)).expect("tokens");
        assert_eq!(tokens["scope"], "sleep");
        assert_eq!(
            provider.exchange(&asked("verifier", CALLBACK)),
            Err("invalid_grant"),
            "again"
        );
        let refresh = tokens["refresh_token"].as_str().expect("a token").to_owned();
        let asked = form(&[("grant_type", "refresh_token"), ("refresh_token", &refresh)]);
        assert!(provider.exchange(&asked).is_ok());
        assert_eq!(
            provider.exchange(&asked),
            Err("invalid_grant"),
            "a refresh token is good once"
        );
        let next = provider.keys.issue();
        let asked = form(&[("grant_type", "refresh_token"), ("refresh_token", &next)]);
        assert!(self::provider().exchange(&asked).is_ok(), "after a restart");
        let other = SimulatedProvider::new("http://127.0.0.1:8080", &[], vec![[8; 32]]);
        assert_eq!(other.exchange(&asked), Err("invalid_grant"), "of another store");
        for forged in ["", ".", "a.", "a.b", next.trim_end_matches(|c| c != '.')] {
            let asked = form(&[("grant_type", "refresh_token"), ("refresh_token", forged)]);
            assert_eq!(provider.exchange(&asked), Err("invalid_grant"), "{forged}");
        }
        assert_eq!(provider.exchange(&form(&[])), Err("unsupported_grant_type"));
    }
}
