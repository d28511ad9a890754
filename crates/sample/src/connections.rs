//! Connections between users and providers.

use std::collections::BTreeMap;

use wearlab_models::{
    ConnectedProvider, ConnectionError, ConnectionStatus, DateTime, ResourceAvailability, ResourceAvailabilityStatus,
    ResourceName, ScopeRequirements, ScopeSet, User,
};
use wearlab_store::ProviderRecord;

use super::catalogue::Catalogue;
use super::generator::Generator;

/// Types of connection errors, with their messages.
const ERRORS: &[(&str, &str)] = &[
    (
        "token_refresh_failed",
        "The provider no longer accepts the authorisation. The user has to link again.",
    ),
    ("provider_unavailable", "The provider has not answered for a day."),
    ("account_closed", "The user closed the account at the provider."),
    ("rate_limited", "The provider allows no more requests for now."),
];

/// Logo of providers without one.
pub(super) const NO_LOGO: &str = "https://cdn.wearlab.example/logos/none.svg";

/// Creates the connections of a user, in no order. The first user has two for each status.
pub(super) fn make(draw: &mut Generator, catalogue: &Catalogue, user: &User, index: u32) -> Vec<ConnectedProvider> {
    let statuses = ConnectionStatus::KNOWN;
    let first = draw.below(catalogue.providers.len());
    let count = if index == 0 { 2 * statuses.len() } else { draw.below(5) };
    (0..count)
        .map(|at| {
            // The step is coprime with the number of providers, so that each is chosen once.
            let provider = &catalogue.providers[(first + at * 5) % catalogue.providers.len()];
            let status = match index {
                0 => statuses[at % statuses.len()].clone(),
                _ if draw.percent(80) => ConnectionStatus::Connected,
                _ => draw.one_of(&statuses[1..]).clone(),
            };
            one(draw, provider, user, status, index == 0)
        })
        .collect()
}

fn one(
    draw: &mut Generator,
    provider: &ProviderRecord,
    user: &User,
    status: ConnectionStatus,
    full: bool,
) -> ConnectedProvider {
    let supported = &provider.supported;
    let created_on = draw.after(user.created_on, 120);
    let error = (status == ConnectionStatus::Error).then(|| error(draw, created_on, full));
    let availability: BTreeMap<_, _> = draw
        .some_of(&supported.supported_resources, 80)
        .into_iter()
        .map(|resource| (resource.clone(), availability(draw, resource)))
        .collect();
    ConnectedProvider::builder()
        .name(&supported.name)
        .slug(&supported.slug)
        .logo(supported.logo.as_deref().unwrap_or(NO_LOGO))
        .status(status)
        .created_on(created_on)
        .resource_availability(availability)
        .maybe_error_details(error)
        .build()
}

fn error(draw: &mut Generator, created_on: DateTime, full: bool) -> ConnectionError {
    let (kind, message) = *draw.one_of(ERRORS);
    ConnectionError::builder()
        .maybe_error_type((full | draw.percent(85)).then_some(kind))
        .maybe_error_message((full | draw.percent(70)).then_some(message))
        .maybe_errored_at((full | draw.percent(70)).then(|| draw.after(created_on, 30)))
        .build()
}

/// Creates the availability of a resource. It is available unless the user denied a scope that it needs.
fn availability(draw: &mut Generator, resource: &ResourceName) -> ResourceAvailability {
    let denied = draw.percent(12);
    let (no, yes) = (
        ResourceAvailabilityStatus::Unavailable,
        ResourceAvailabilityStatus::Available,
    );
    let required = vec![format!("{resource}.read")];
    let optional = vec![format!("{resource}.history")];
    let (more, less) = if draw.percent(70) {
        (optional, Vec::new())
    } else {
        (Vec::new(), optional)
    };
    let (granted, refused) = if denied {
        (Vec::new(), required)
    } else {
        (required, Vec::new())
    };
    let scopes = |required, optional| ScopeSet::builder().required(required).optional(optional).build();
    ResourceAvailability::builder()
        .status(if denied { no } else { yes })
        .scope_requirements(
            ScopeRequirements::builder()
                .user_granted(scopes(granted, more))
                .user_denied(scopes(refused, less))
                .build(),
        )
        .build()
}
