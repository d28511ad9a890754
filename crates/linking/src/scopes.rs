//! Scopes: requested ones, granted and denied ones, and the availability of resources that follows.

use std::collections::{BTreeMap, BTreeSet};

use wearlab_models::{
    ProviderSettings, ResourceAvailability, ResourceAvailabilityStatus, ResourceName, ScopeRequirements,
    ScopeSeparator, ScopeSet,
};

/// Returns the scopes to request from a user, each once.
pub(super) fn requested(settings: &ProviderSettings) -> Vec<String> {
    let of_resources = settings.scopes.values();
    let of_resources = of_resources.flat_map(|set| set.required.iter().chain(&set.optional));
    let mut seen = BTreeSet::new();
    of_resources
        .chain(&settings.extra_scopes)
        .filter(|scope| seen.insert(scope.as_str()))
        .cloned()
        .collect()
}

/// Splits a text of scopes at spaces, as OAuth has it, or at commas, as some providers do. A scope that was `requested`
/// may itself contain a comma.
pub(super) fn split(text: &str, requested: &[String]) -> Vec<String> {
    let mut scopes = Vec::new();
    for part in text.split(' ') {
        match requested.iter().any(|scope| scope == part) {
            true => scopes.push(part.to_owned()),
            false => scopes.extend(part.split(',').filter(|scope| !scope.is_empty()).map(str::to_owned)),
        }
    }
    scopes
}

/// Joins scopes for a request. None if the provider does not support the parameter, or there are no scopes.
pub(super) fn joined(settings: &ProviderSettings, scopes: &[String]) -> Option<String> {
    let separator = match settings.scope_separator {
        None | Some(ScopeSeparator::Space) => " ",
        Some(ScopeSeparator::Comma) => ",",
        // Other values are refused when settings are stored.
        Some(_) => return None,
    };
    (!scopes.is_empty()).then(|| scopes.join(separator))
}

/// Returns the availability of each resource of the settings: a resource is available if all scopes that it needs are
/// granted. Other resources keep their availability `before`.
pub(super) fn availability(
    settings: &ProviderSettings,
    granted: &[String],
    before: BTreeMap<ResourceName, ResourceAvailability>,
) -> BTreeMap<ResourceName, ResourceAvailability> {
    let granted: BTreeSet<_> = granted.iter().map(String::as_str).collect();
    let mut availability = before;
    for (resource, scopes) in &settings.scopes {
        let part = |is_granted: bool| {
            let of = |scopes: &[String]| -> Vec<String> {
                let fits = scopes
                    .iter()
                    .filter(|scope| granted.contains(scope.as_str()) == is_granted);
                fits.cloned().collect()
            };
            ScopeSet::builder()
                .required(of(&scopes.required))
                .optional(of(&scopes.optional))
                .build()
        };
        let (user_granted, user_denied) = (part(true), part(false));
        let status = match user_denied.required.is_empty() {
            true => ResourceAvailabilityStatus::Available,
            false => ResourceAvailabilityStatus::Unavailable,
        };
        let scope_requirements = ScopeRequirements::builder()
            .user_granted(user_granted)
            .user_denied(user_denied)
            .build();
        let of_resource = ResourceAvailability::builder()
            .status(status)
            .scope_requirements(scope_requirements)
            .build();
        availability.insert(resource.clone(), of_resource);
    }
    availability
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wearlab_models::{ProviderSettings, ResourceName, ScopeSeparator};

    use super::{availability, joined, requested, split};

    fn settings() -> ProviderSettings {
        serde_json::from_value(json!({
            "slug": "stridewell", "client_id": "id", "authorization_url": "", "token_url": "",
            "scopes": {
                "activity": {"required": ["activity"], "optional": ["location"]},
                "sleep": {"required": ["sleep", "activity"], "optional": []},
                "profile": {"required": [], "optional": []},
            },
            "extra_scopes": ["offline", "activity"], "token_auth_method": "none",
        }))
        .expect("settings")
    }

    #[test]
    fn each_scope_is_asked_for_once() {
        assert_eq!(requested(&settings()), ["activity", "location", "sleep", "offline"]);
    }

    #[test]
    fn a_resource_is_available_with_all_scopes_that_it_needs() {
        let granted = ["activity".to_owned(), "offline".to_owned()];
        let availability = availability(&settings(), &granted, [].into());
        let shown = |resource: ResourceName| serde_json::to_value(&availability[&resource]).expect("JSON");
        assert_eq!(
            shown(ResourceName::Activity),
            json!({"status": "available", "scope_requirements": {
                "user_granted": {"required": ["activity"], "optional": []},
                "user_denied": {"required": [], "optional": ["location"]},
            }})
        );
        assert_eq!(
            shown(ResourceName::Sleep),
            json!({"status": "unavailable", "scope_requirements": {
                "user_granted": {"required": ["activity"], "optional": []},
                "user_denied": {"required": ["sleep"], "optional": []},
            }})
        );
        assert_eq!(shown(ResourceName::Profile)["status"], "available");
        assert_eq!(availability.len(), 3);
    }

    #[test]
    fn scopes_are_separated_by_spaces_or_commas() {
        let requested = ["read,write".to_owned()];
        let split = |text| split(text, &requested);
        assert_eq!(split("read,activity:read_all"), ["read", "activity:read_all"]);
        assert_eq!(split(" read  sleep "), ["read", "sleep"]);
        assert_eq!(split("read,write sleep"), ["read,write", "sleep"]);
        assert!(split("").is_empty());
    }

    #[test]
    fn scopes_are_requested_as_the_provider_separates_them() {
        let scopes = ["a".to_owned(), "b".to_owned()];
        for (separator, wanted) in [
            (None, Some("a b")),
            (Some(ScopeSeparator::Space), Some("a b")),
            (Some(ScopeSeparator::Comma), Some("a,b")),
            (Some(ScopeSeparator::None), None),
        ] {
            let mut settings = settings();
            settings.scope_separator = separator;
            assert_eq!(joined(&settings, &scopes).as_deref(), wanted);
            assert_eq!(joined(&settings, &[]), None);
        }
    }
}
