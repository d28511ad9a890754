//! Grammar of security schemes.

use super::shape::Shape::{self, Map, Text, Texts};
use super::shape::{Node, node};

pub(super) static SECURITY_SCHEME: Node = node(
    "a security scheme",
    &["type"],
    &[
        ("type", Text),
        ("in", Text),
        ("name", Text),
        ("scheme", Text),
        ("bearerFormat", Text),
        ("flows", Shape::Node(&FLOWS)),
        ("openIdConnectUrl", Text),
        ("description", Text),
        ("x-header-aliases", Texts),
        ("x-short-name", Text),
        ("x-assumption", Text),
    ],
);

static API_KEY: Node = node(
    "an API key",
    &["type", "in", "name"],
    &[
        ("type", Text),
        ("in", Text),
        ("name", Text),
        ("description", Text),
        ("x-header-aliases", Texts),
        ("x-short-name", Text),
        ("x-assumption", Text),
    ],
);

static HTTP: Node = node(
    "an HTTP authentication scheme",
    &["type", "scheme"],
    &[
        ("type", Text),
        ("scheme", Text),
        ("bearerFormat", Text),
        ("description", Text),
        ("x-short-name", Text),
        ("x-assumption", Text),
    ],
);

static OAUTH2: Node = node(
    "an OAuth 2.0 scheme",
    &["type", "flows"],
    &[
        ("type", Text),
        ("flows", Shape::Node(&FLOWS)),
        ("description", Text),
        ("x-short-name", Text),
        ("x-assumption", Text),
    ],
);

static OPEN_ID_CONNECT: Node = node(
    "an OpenID Connect scheme",
    &["type", "openIdConnectUrl"],
    &[
        ("type", Text),
        ("openIdConnectUrl", Text),
        ("description", Text),
        ("x-short-name", Text),
        ("x-assumption", Text),
    ],
);

/// The types of security schemes, each with its own keys.
pub(super) static SECURITY_SCHEMES: [(&str, &Node); 4] = [
    ("apiKey", &API_KEY),
    ("http", &HTTP),
    ("oauth2", &OAUTH2),
    ("openIdConnect", &OPEN_ID_CONNECT),
];

static FLOWS: Node = node(
    "`flows`",
    &[],
    &[
        ("implicit", Shape::Node(&FLOW)),
        ("password", Shape::Node(&FLOW)),
        ("clientCredentials", Shape::Node(&FLOW)),
        ("authorizationCode", Shape::Node(&FLOW)),
    ],
);

static FLOW: Node = node(
    "a flow",
    &["scopes"],
    &[
        ("authorizationUrl", Text),
        ("tokenUrl", Text),
        ("refreshUrl", Text),
        ("scopes", Map(&Text)),
    ],
);
