//! A document of tests.

use reqwest::Method;
use wearlab_kit_types::carrier::{Carrier, HasCarrier};

use crate::{Document, Operation};

/// The document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixture;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    Base,
    Management,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Credential {
    ApiKey,
    ManagementKey,
}

impl HasCarrier for Credential {
    fn carrier(self) -> Carrier {
        match self {
            Self::ApiKey => Carrier::Header(&["x-service-api-key"]),
            Self::ManagementKey => Carrier::Header(&["x-management-key", "x-service-org-key"]),
        }
    }
}

impl Document for Fixture {
    type Server = Server;
    type Credential = Credential;
    const SERVICE: Server = Server::Base;
    const ADDRESSES: &'static [(Server, &'static str, &'static str)] = &[
        (Server::Base, "base_url", "FIXTURE_BASE_URL"),
        (Server::Management, "management_url", "FIXTURE_MANAGEMENT_URL"),
    ];
    const SETTERS: &'static [(Credential, &'static str, &'static str)] = &[
        (Credential::ApiKey, "api_key", "FIXTURE_API_KEY"),
        (Credential::ManagementKey, "management_key", "FIXTURE_MANAGEMENT_KEY"),
    ];
    const PREFIX_VARIABLE: &'static str = "FIXTURE_HEADER_PREFIX";
    const USER_AGENT: &'static str = "fixture/1";
}

/// The document with default URLs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WithDefaults;

impl Document for WithDefaults {
    type Server = Server;
    type Credential = Credential;
    const SERVICE: Server = Server::Base;
    const ADDRESSES: &'static [(Server, &'static str, &'static str)] = Fixture::ADDRESSES;
    const URLS: &'static [(Server, &'static str)] = &[
        (Server::Base, "https://api.example"),
        (Server::Management, "https://management.example/v1/"),
    ];
    const SETTERS: &'static [(Credential, &'static str, &'static str)] = Fixture::SETTERS;
    const PREFIX_VARIABLE: &'static str = Fixture::PREFIX_VARIABLE;
    const USER_AGENT: &'static str = Fixture::USER_AGENT;
}

/// An operation that adds something.
pub(crate) static ADD: Operation<Fixture> = Operation {
    id: "add",
    method: Method::POST,
    path: "/things",
    server: Server::Base,
    security: &[&[Credential::ApiKey]],
    span: || crate::span!("add"),
};
