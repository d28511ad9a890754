//! Settings of providers: the OAuth clients of the organisation.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Map, Value, json};
use wearlab_models::{ProviderSettings, ProviderSettingsList, RedirectUriMode, TokenAuthMethod};
use wearlab_server::operations::{
    DELETE_PROVIDER_SETTINGS, GET_PROVIDER_SETTINGS, LIST_PROVIDER_SETTINGS, PUT_PROVIDER_SETTINGS,
};

use super::authenticated_page::AuthenticatedPage;
use super::error::PageError;
use super::form::{Form, dangerous, hidden};
use super::page::Page;
use super::parts::{code, link, table};
use super::query::{Query, url};

const PATH: &str = "/console/providers";

/// Fields of a form with one text each: the member of the settings, its label, and whether it is required.
const TEXTS: [(&str, &str, bool); 5] = [
    ("client_id", "Client id", true),
    ("authorization_url", "Authorisation URL", true),
    ("token_url", "Token URL", true),
    ("revocation_url", "Revocation URL", false),
    ("issuer", "Issuer", false),
];

/// `GET /console/providers`, with the form filled in for `slug`.
pub(super) async fn list(auth: AuthenticatedPage, query: Query) -> Result<Response, PageError> {
    let list: ProviderSettingsList = auth.call(&LIST_PROVIDER_SETTINGS, &[]).get().await?;
    let known = match query.get("slug") {
        Some(slug) => Some(
            auth.call(&GET_PROVIDER_SETTINGS, &[slug])
                .get::<ProviderSettings>()
                .await?,
        ),
        None => None,
    };
    let rows: Vec<_> = list.providers.iter().map(|settings| row(&auth, settings)).collect();
    let columns = ["Provider", "Client id", "Authorisation URL", "Resources", "Action"];
    let content = html! {
        (secret_key_notice(&auth))
        (table("Providers", &columns, "Providers are not set up: users cannot link one here.", &rows))
        (form(&auth, known.as_ref()))
    };
    Ok(Page::new(&auth, "Providers").response(&content))
}

/// Returns a notice that linking is disabled, if no secret key is configured.
pub(super) fn secret_key_notice(auth: &AuthenticatedPage) -> Markup {
    let refused = auth
        .service
        .linker()
        .is_ok_and(|linker| linker.require_secret_key().is_err());
    html! {
        @if refused {
            p.notice.failed role="status" {
                "Users cannot link providers: tokens would be stored in plain text. Set " code { "secret_key_file" }
                ", or accept that by " code { "allow_plaintext_secrets" } ", and start the service again."
            }
        }
    }
}

fn row(auth: &AuthenticatedPage, settings: &ProviderSettings) -> Vec<Markup> {
    let resources: Vec<_> = settings.scopes.keys().map(|name| name.as_str()).collect();
    let slug = &settings.slug;
    vec![
        link(&url(PATH, &[("slug", Some(slug))]), slug),
        code(&settings.client_id),
        html! { (settings.authorization_url) },
        html! { (resources.join(", ")) },
        dangerous(
            auth,
            &format!("{PATH}/{slug}/delete"),
            "Delete",
            &format!("Delete the settings of {slug}"),
            "Users can no longer link this provider. Their connections stay.",
        ),
    ]
}

fn form(auth: &AuthenticatedPage, known: Option<&ProviderSettings>) -> Markup {
    let value = |name: &str| {
        let known = known?;
        match name {
            "client_id" => Some(known.client_id.as_str()),
            "authorization_url" => Some(known.authorization_url.as_str()),
            "token_url" => Some(known.token_url.as_str()),
            "revocation_url" => known.revocation_url.as_deref(),
            _ => known.issuer.as_deref(),
        }
    };
    let scopes = known.map(|known| serde_json::to_string_pretty(&known.scopes).unwrap_or_default());
    let extra = known.map(|known| known.extra_scopes.join("\n"));
    let method = known.map(|known| known.token_auth_method.clone());
    html! {
        section.box aria-labelledby="put" {
            h2 #put { @if let Some(known) = known { "Change " (known.slug) } @else { "Set up a provider" } }
            form.fields method="post" action=(PATH) {
                (hidden(auth))
                p {
                    label for="slug" { "Provider, by its slug" }
                    input #slug name="slug" type="text" required readonly[known.is_some()] value=[known.map(|known| &known.slug)] autocomplete="off";
                }
                @for (name, label, required) in TEXTS {
                    p {
                        label for=(name) { (label) }
                        input id=(name) name=(name) type="text" required[required] value=[value(name)] autocomplete="off";
                    }
                }
                p {
                    label for="client_secret" { "Client secret" @if known.is_some() { " (empty: as it is)" } }
                    input #client_secret name="client_secret" type="password" autocomplete="new-password";
                }
                p {
                    label for="token_auth_method" { "Authentication at the token URL" }
                    select #token_auth_method name="token_auth_method" {
                        @for name in ["client_secret_basic", "client_secret_post", "none"] {
                            option value=(name) selected[method == Some(TokenAuthMethod::from(name))] { (name) }
                        }
                    }
                }
                @if let Some(known) = known {
                    p {
                        "Redirect URI to register at the provider: " (code(known.redirect_uri.as_deref().unwrap_or_default()))
                    }
                    @if known.redirect_uri_mode == Some(RedirectUriMode::Shared) {
                        p {
                            label for="redirect_uri_mode" { "Redirect URI" }
                            select #redirect_uri_mode name="redirect_uri_mode" {
                                option value="shared" selected { "shared with other providers" }
                                option value="own" { "its own" }
                            }
                        }
                    }
                }
                p {
                    label for="scopes" { "Scopes by resource, as JSON" }
                    textarea #scopes name="scopes" rows="6" placeholder="{\"sleep\": {\"required\": [\"sleep.read\"], \"optional\": []}}" {
                        (scopes.unwrap_or_default())
                    }
                }
                p {
                    label for="extra_scopes" { "Further scopes, one a line" }
                    textarea #extra_scopes name="extra_scopes" rows="2" { (extra.unwrap_or_default()) }
                }
                button.primary type="submit" { "Save" }
                @if known.is_some() { a href=(PATH) { "Cancel" } }
            }
        }
    }
}

/// `POST /console/providers`
pub(super) async fn put(form: Form) -> Response {
    let Form { auth, fields } = form;
    let slug = fields.get("slug").unwrap_or_default();
    let back = url(PATH, &[]);
    let scopes = match fields.get("scopes").map(serde_json::from_str::<Value>).transpose() {
        Ok(scopes) => scopes.unwrap_or_else(|| json!({})),
        Err(error) => {
            let text = format!(
                "scopes: invalid JSON at line {}, column {}.",
                error.line(),
                error.column()
            );
            return auth.done(Err(PageError::Outcome(text)), &back);
        }
    };
    // Settings without a field in the form are kept.
    let mut body: Map<String, Value> = match auth.call(&GET_PROVIDER_SETTINGS, &[slug]).get().await {
        Ok(settings) => settings,
        Err(error) if error.is_not_found() => Map::new(),
        Err(error) => return auth.done(Err(error), &back),
    };
    body.remove("redirect_uri");
    for name in TEXTS
        .map(|(name, ..)| name)
        .into_iter()
        .chain(["client_secret", "token_auth_method"])
    {
        match fields.get(name) {
            Some(value) => body.insert(name.to_owned(), json!(value)),
            None => body.remove(name),
        };
    }
    if let Some(mode) = fields.get("redirect_uri_mode") {
        body.insert("redirect_uri_mode".to_owned(), json!(mode));
    }
    body.insert("scopes".to_owned(), scopes);
    body.insert("extra_scopes".to_owned(), json!(fields.lines("extra_scopes")));
    let call = auth.call(&PUT_PROVIDER_SETTINGS, &[slug]).idempotency_key(fields.id());
    let result = call.body(&Value::Object(body)).act().await;
    auth.done(result.map(|()| format!("The settings of {slug} are saved.")), &back)
}

/// `POST /console/providers/{slug}/delete`
pub(super) async fn delete(Path(slug): Path<String>, form: Form) -> Response {
    let auth = form.auth;
    let result = auth.call(&DELETE_PROVIDER_SETTINGS, &[&slug]).act().await;
    auth.done(result.map(|()| format!("The settings of {slug} are deleted.")), PATH)
}
