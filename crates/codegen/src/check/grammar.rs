//! The keys that each object of the document may have, and the shapes of their values.
//!
//! No later pass supports a key that is not listed here, so it is rejected.

use super::schema_grammar::{DEPRECATION, HEADER_SCHEMA, NAMED, PARAMETER_SCHEMA, PART};
use super::security_grammar::SECURITY_SCHEME;
use super::shape::Shape::{self, Any, Bool, List, Map, Text, Texts, Values};
use super::shape::{Node, node, referable};

pub(super) static DOCUMENT: Node = node(
    "the document",
    &["openapi", "info", "servers", "tags", "paths", "components"],
    &[
        ("openapi", Text),
        ("info", Shape::Node(&INFO)),
        ("servers", List(&Shape::Node(&SERVER))),
        ("tags", List(&Shape::Node(&TAG))),
        ("paths", Map(&Shape::Node(&PATH_ITEM))),
        ("webhooks", Map(&Shape::Node(&WEBHOOK))),
        ("components", Shape::Node(&COMPONENTS)),
        ("x-parameter-aliases", Map(&Texts)),
        ("x-defaults", Shape::Node(&DEFAULTS)),
    ],
);

// The parts of a rule are checked where it adds them.
static DEFAULTS: Node = node(
    "`x-defaults`",
    &[],
    &[
        ("operations", List(&Shape::Node(&DEFAULT_RULE))),
        ("webhooks", List(&Shape::Node(&DEFAULT_RULE))),
        ("schema-examples", Bool),
    ],
);

static DEFAULT_RULE: Node = node(
    "a rule of `x-defaults`",
    &[],
    &[
        ("when", Shape::Node(&CONDITION)),
        ("unless", Shape::Node(&CONDITION)),
        ("parameters", Values),
        ("successes", Shape::Node(&DEFAULT_SUCCESS)),
        ("responses", Map(&Any)),
        ("headers", Map(&Any)),
    ],
);

static CONDITION: Node = node(
    "a condition",
    &[],
    &[
        ("methods", Texts),
        ("parameters", Texts),
        ("in", Texts),
        ("request", Texts),
        ("response", Texts),
        ("deprecated", Bool),
    ],
);

static DEFAULT_SUCCESS: Node = node("`successes`", &[], &[("description", Text), ("headers", Map(&Any))]);

static INFO: Node = node(
    "`info`",
    &["title", "version"],
    &[
        ("title", Text),
        ("version", Text),
        ("summary", Text),
        ("description", Text),
        ("license", Shape::Node(&LICENSE)),
        ("contact", Any),
        ("termsOfService", Text),
    ],
);

static LICENSE: Node = node(
    "`license`",
    &["name"],
    &[("name", Text), ("identifier", Text), ("url", Text)],
);

static SERVER: Node = node(
    "a server",
    &["url", "variables"],
    &[
        ("url", Text),
        ("description", Text),
        ("variables", Map(&Shape::Node(&SERVER_VARIABLE))),
    ],
);

static SERVER_VARIABLE: Node = node(
    "a server variable",
    &["default"],
    &[("default", Text), ("description", Text), ("x-assumption", Text)],
);

static TAG: Node = node(
    "a tag",
    &["name", "description"],
    &[("name", Text), ("description", Text)],
);

static COMPONENTS: Node = node(
    "`components`",
    &[],
    &[
        ("schemas", Map(&Shape::Node(&NAMED))),
        ("parameters", Map(&Shape::Node(&PARAMETER))),
        ("requestBodies", Map(&Shape::Node(&REQUEST_BODY))),
        ("responses", Map(&Shape::Node(&RESPONSE))),
        ("headers", Map(&Shape::Node(&HEADER))),
        ("securitySchemes", Map(&Shape::Node(&SECURITY_SCHEME))),
    ],
);

static PATH_ITEM: Node = node(
    "a path",
    &[],
    &[
        ("servers", List(&Shape::Node(&SERVER))),
        ("parameters", List(&Shape::Node(&PARAMETER))),
        ("get", Shape::Node(&OPERATION)),
        ("put", Shape::Node(&OPERATION)),
        ("post", Shape::Node(&OPERATION)),
        ("patch", Shape::Node(&OPERATION)),
        ("delete", Shape::Node(&OPERATION)),
        ("head", Shape::Node(&OPERATION)),
        ("options", Shape::Node(&OPERATION)),
        ("x-assumption", Text),
    ],
);

pub(super) static OPERATION: Node = node(
    "an operation",
    &["operationId", "summary", "tags", "security", "responses"],
    &[
        ("operationId", Text),
        ("summary", Text),
        ("description", Text),
        ("tags", Texts),
        ("parameters", List(&Shape::Node(&PARAMETER))),
        ("security", Values),
        ("x-optional-security", Values),
        ("requestBody", Shape::Node(&REQUEST_BODY)),
        ("responses", Map(&Shape::Node(&RESPONSE))),
        ("servers", List(&Shape::Node(&SERVER))),
        ("deprecated", Bool),
        ("x-deprecation", Shape::Node(&DEPRECATION)),
        ("x-pagination", Shape::Node(&PAGINATION)),
        ("x-assumption", Text),
        ("x-rust-name", Text),
    ],
);

static WEBHOOK: Node = node("a webhook", &["post"], &[("post", Shape::Node(&WEBHOOK_POST))]);

pub(super) static WEBHOOK_POST: Node = node(
    "a webhook's operation",
    &["operationId", "summary", "tags", "requestBody", "responses"],
    &[
        ("operationId", Text),
        ("summary", Text),
        ("description", Text),
        ("tags", Texts),
        ("requestBody", Shape::Node(&REQUEST_BODY)),
        ("responses", Map(&Shape::Node(&RESPONSE))),
        ("deprecated", Bool),
        ("x-deprecation", Shape::Node(&DEPRECATION)),
        ("x-assumption", Text),
    ],
);

static REQUEST_BODY: Node = referable(
    "a request body",
    "requestBodies",
    &["content"],
    &[
        ("description", Text),
        ("required", Bool),
        ("content", Map(&Shape::Node(&MEDIA_TYPE))),
        ("x-assumption", Text),
    ],
);

pub(super) static PARAMETER: Node = referable(
    "a parameter",
    "parameters",
    &["name", "in", "schema"],
    &[
        ("name", Text),
        ("in", Text),
        ("required", Bool),
        ("style", Text),
        ("explode", Bool),
        ("description", Text),
        ("schema", Shape::Node(&PARAMETER_SCHEMA)),
        ("content", Map(&Shape::Node(&MEDIA_TYPE))),
        ("example", Any),
        ("examples", Map(&Shape::Node(&EXAMPLE))),
        ("deprecated", Bool),
        ("x-deprecation", Shape::Node(&DEPRECATION)),
        ("x-sensitive", Bool),
        ("x-assumption", Text),
        ("x-rust-name", Text),
    ],
);

static RESPONSE: Node = referable(
    "a response",
    "responses",
    &["description"],
    &[
        ("description", Text),
        ("content", Map(&Shape::Node(&MEDIA_TYPE))),
        ("headers", Map(&Shape::Node(&HEADER))),
        ("x-assumption", Text),
    ],
);

static HEADER: Node = referable(
    "a header",
    "headers",
    &["schema"],
    &[
        ("description", Text),
        ("required", Bool),
        ("schema", Shape::Node(&HEADER_SCHEMA)),
        ("example", Any),
        ("examples", Map(&Shape::Node(&EXAMPLE))),
        ("deprecated", Bool),
        ("x-deprecation", Shape::Node(&DEPRECATION)),
        ("x-sensitive", Bool),
        ("x-middleware", Bool),
    ],
);

static MEDIA_TYPE: Node = node(
    "a media type",
    &[],
    &[
        ("schema", Shape::Node(&PART)),
        ("encoding", Map(&Shape::Node(&ENCODING))),
        ("example", Any),
        ("examples", Map(&Shape::Node(&EXAMPLE))),
    ],
);

static ENCODING: Node = node(
    "an encoding",
    &[],
    &[("contentType", Text), ("style", Text), ("explode", Bool)],
);

static EXAMPLE: Node = node(
    "an example",
    &["value"],
    &[("summary", Text), ("description", Text), ("value", Any)],
);

static PAGINATION: Node = node(
    "`x-pagination`",
    &["style", "items"],
    &[("style", Text), ("items", Text)],
);
