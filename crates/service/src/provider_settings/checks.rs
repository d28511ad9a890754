//! Checks of provider settings.

use std::collections::BTreeMap;

use wearlab_linking::{Linking, OAUTH_PARAMETERS};
use wearlab_models::{
    ProviderSettingsInput, RedirectUriMode, RevocationMethod, ScopeSeparator, TokenAuthMethod, TokenErrorMeaning,
    TokenErrorRule, Violation,
};

/// Returns all violations of settings.
pub(crate) fn violations(linking: &Linking, slug: &str, body: &ProviderSettingsInput) -> Vec<Violation> {
    let mut found = Vec::new();
    if body.slug.as_ref().is_some_and(|named| named != slug) {
        found.push(violation("/body/slug", "invalid", "must be the slug of the path"));
    }
    for (location, url) in [
        ("/body/authorization_url", Some(&body.authorization_url)),
        ("/body/token_url", Some(&body.token_url)),
        ("/body/revocation_url", body.revocation_url.as_ref()),
    ] {
        if let Some(reason) = url.and_then(|url| linking.check_url(url).err()) {
            found.push(violation(location, "invalid", &reason));
        }
    }
    for (location, method) in [
        ("/body/token_auth_method", &body.token_auth_method),
        ("/body/revocation_auth_method", &body.revocation_auth_method),
    ] {
        let known = [
            TokenAuthMethod::ClientSecretBasic,
            TokenAuthMethod::ClientSecretPost,
            TokenAuthMethod::None,
        ];
        if method.as_ref().is_some_and(|method| !known.contains(method)) {
            let message = "must be client_secret_basic, client_secret_post or none";
            found.push(violation(location, "invalid", message));
        }
    }
    let methods = [
        RevocationMethod::Rfc7009,
        RevocationMethod::Query,
        RevocationMethod::BearerDelete,
    ];
    if body
        .revocation_method
        .as_ref()
        .is_some_and(|method| !methods.contains(method))
    {
        let message = "must be rfc7009, query or bearer_delete";
        found.push(violation("/body/revocation_method", "invalid", message));
    }
    let modes = [RedirectUriMode::Own, RedirectUriMode::Shared];
    if body
        .redirect_uri_mode
        .as_ref()
        .is_some_and(|mode| !modes.contains(mode))
    {
        found.push(violation("/body/redirect_uri_mode", "invalid", "must be own or shared"));
    }
    check_scopes(body, &mut found);
    for (location, parameters) in [
        ("/body/authorization_parameters", &body.authorization_parameters),
        ("/body/token_parameters", &body.token_parameters),
        ("/body/refresh_parameters", &body.refresh_parameters),
    ] {
        if let Some(parameters) = parameters {
            check_parameters(location, parameters, &mut found);
        }
    }
    let authorization = body.authorization_parameters.as_ref();
    if authorization.is_some_and(|parameters| parameters.contains_key("scope")) {
        let message = "scope is not set here: see scopes, extra_scopes and scope_separator";
        found.push(violation("/body/authorization_parameters/scope", "invalid", message));
    }
    for (location, path) in [
        ("/body/token_response_path", &body.token_response_path),
        ("/body/provider_user_id_path", &body.provider_user_id_path),
    ] {
        if path.as_ref().is_some_and(|path| !is_pointer(path)) {
            found.push(violation(location, "invalid", POINTER));
        }
    }
    for (index, rule) in body.token_errors.iter().flatten().enumerate() {
        if let Err((field, message)) = check_rule(rule) {
            found.push(violation(
                &format!("/body/token_errors/{index}{field}"),
                "invalid",
                message,
            ));
        }
    }
    found
}

const POINTER: &str = "must be a JSON Pointer such as /body/userid (RFC 6901)";

fn check_scopes(body: &ProviderSettingsInput, found: &mut Vec<Violation>) {
    let separator = body.scope_separator.as_ref();
    let known = [ScopeSeparator::Space, ScopeSeparator::Comma, ScopeSeparator::None];
    if separator.is_some_and(|separator| !known.contains(separator)) {
        let message = "must be space, comma or none";
        found.push(violation("/body/scope_separator", "invalid", message));
    }
    let by_comma = separator == Some(&ScopeSeparator::Comma);
    let of_resources = body.scopes.iter().flat_map(|(resource, set)| {
        let lists = [("required", &set.required), ("optional", &set.optional)];
        lists.map(|(list, scopes)| (format!("/body/scopes/{resource}/{list}"), scopes))
    });
    let extra = body.extra_scopes.as_ref();
    let extra = extra.map(|scopes| ("/body/extra_scopes".to_owned(), scopes));
    for (location, scopes) in of_resources.chain(extra) {
        if scopes.iter().any(|scope| !is_scope(scope)) {
            let message = "a scope has graphic characters of ASCII, and neither a quotation mark nor a backslash";
            found.push(violation(&location, "invalid", message));
        } else if by_comma && scopes.iter().any(|scope| scope.contains(',')) {
            let message = "a scope has no comma where commas separate scopes: list the scopes one by one";
            found.push(violation(&location, "invalid", message));
        }
    }
}

/// Returns true for a scope of RFC 6749, section 3.3.
fn is_scope(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_graphic() && !b"\"\\".contains(&byte);
    !text.is_empty() && text.bytes().all(fits)
}

fn check_parameters(location: &str, parameters: &BTreeMap<String, String>, found: &mut Vec<Violation>) {
    for name in parameters.keys() {
        if OAUTH_PARAMETERS.contains(&name.as_str()) {
            let message = "is a parameter of OAuth that the service sets itself";
            found.push(violation(&format!("{location}/{name}"), "invalid", message));
        } else if name.is_empty() || name.len() > 100 || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = "names of parameters have 1 to 100 graphic characters of ASCII";
            found.push(violation(location, "invalid", message));
        }
    }
}

/// Returns true for a JSON pointer of RFC 6901. The empty one is the whole document, as without a path.
fn is_pointer(path: &str) -> bool {
    path.starts_with('/') && !path.contains(char::is_control)
}

/// Fails with the field of an invalid rule, and the reason.
fn check_rule(rule: &TokenErrorRule) -> Result<(), (&'static str, &'static str)> {
    let known = [
        TokenErrorMeaning::LinkAgain,
        TokenErrorMeaning::Temporary,
        TokenErrorMeaning::Client,
        TokenErrorMeaning::UserAction,
    ];
    if !known.contains(&rule.meaning) {
        return Err(("/meaning", "must be link_again, user_action, temporary or client"));
    }
    match &rule.path {
        Some(path) if !is_pointer(path) => Err(("/path", POINTER)),
        Some(_) if rule.equals.is_none() && rule.contains.is_none() => {
            Err(("", "a rule with a path says by equals or contains what its value is"))
        }
        Some(_) => Ok(()),
        None if rule.equals.is_some() || rule.contains.is_some() => {
            Err(("/path", "is required with equals and contains"))
        }
        None if rule.http_status.is_none_or(|status| status < 400) => {
            Err(("/path", "is required, unless http_status is 400 or higher"))
        }
        None => Ok(()),
    }
}

pub(super) fn violation(location: &str, code: &str, message: &str) -> Violation {
    Violation::builder()
        .location(location)
        .code(code)
        .message(message)
        .build()
}
