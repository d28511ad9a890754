//! Tests of the settings.

use wearlab_connect::Provider;
use wearlab_models::{ResourceName, TokenAuthMethod};

use super::super::Dexcom;

#[test]
fn settings_of_oauth() {
    let settings = Dexcom.settings();
    let scopes = settings.scopes.get(&ResourceName::Glucose);
    assert_eq!(
        scopes.map(|scopes| scopes.required.join(" ")).as_deref(),
        Some("offline_access")
    );
    assert_eq!(settings.token_auth_method, TokenAuthMethod::ClientSecretPost);
    assert_eq!(settings.token_url, "https://api.dexcom.com/v2/oauth2/token");
    assert_eq!(settings.revocation_url, None);
}

/// A request has at most 30 days: those of a window, one before it, and one after it.
#[test]
fn a_window_fits_a_request() {
    let collections = Dexcom.profile().collections;
    assert!(collections.iter().all(|collection| collection.window_days + 2 <= 30));
}
