//! The stable names of the kinds of mistakes.

use std::fmt;

macro_rules! codes {
    ($($(#[$docs:meta])* $code:ident = $slug:literal,)*) => {
        /// What kind of mistake it is. Its slug is shown with the message, and never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$docs])* $code,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$code),*];

            /// The slug, such as `cookie-parameter`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $slug,)*
                }
            }
        }
    };
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

// In the order of the passes that find them, and of the document.
codes! {
    /// The text is no YAML.
    NotYaml = "not-yaml",
    /// More values stand in one another than a document that people wrote has.
    TooDeep = "too-deep",
    /// The file holds several documents.
    SeveralDocuments = "several-documents",
    /// A key stands twice in one object.
    DuplicateKey = "duplicate-key",
    /// A key is a list or an object.
    KeyNoString = "key-no-string",
    /// Readers of YAML take a key differently.
    AmbiguousKey = "ambiguous-key",
    /// Readers of YAML take a value differently.
    AmbiguousValue = "ambiguous-value",
    /// An anchor of YAML.
    Anchor = "anchor",
    /// An alias of YAML.
    Alias = "alias",
    /// A tag of YAML.
    YamlTag = "yaml-tag",
    /// A merge key of YAML 1.1.
    MergeKey = "merge-key",

    /// A document of version 2.0.
    SwaggerDocument = "swagger-document",
    /// The document does not say its version of OpenAPI.
    NoVersion = "no-version",
    /// A document of a version of OpenAPI that is not read.
    OpenapiVersion = "openapi-version",

    /// A value is of another kind than its key wants.
    WrongKind = "wrong-kind",
    /// An object lacks a key that it must have.
    MissingKey = "missing-key",
    /// A key that means nothing where it stands, or is misspelled.
    UnknownKey = "unknown-key",
    /// A key that means something, but elsewhere.
    MisplacedKey = "misplaced-key",
    /// A key beside `$ref`, where it has no effect.
    KeyBesideReference = "key-beside-reference",
    /// A method other than GET.
    Method = "method",
    /// A path item that is a reference.
    PathReference = "path-reference",
    /// Credentials for the whole document.
    DocumentSecurity = "document-security",
    /// Credentials of a webhook.
    WebhookSecurity = "webhook-security",
    /// A body that a request of an operation carries.
    RequestBody = "request-body",
    /// Callbacks of an operation.
    Callbacks = "callbacks",
    /// Servers of one operation.
    OperationServers = "operation-servers",
    /// A parameter in another than its default form.
    ParameterStyle = "parameter-style",
    /// A parameter with media types.
    ParameterContent = "parameter-content",
    /// `nullable`, as OpenAPI 3.0 has it.
    NullableKeyword = "nullable-keyword",
    /// `example` in a schema, as OpenAPI 3.0 has it.
    ExampleKeyword = "example-keyword",
    /// `const` in a schema.
    ConstKeyword = "const-keyword",
    /// An enum that is written where it is used.
    InlineEnum = "inline-enum",
    /// An object with properties that is written where it is used.
    InlineObject = "inline-object",
    /// A schema that is put together from several.
    Composition = "composition",
    /// A discriminator.
    Discriminator = "discriminator",
    /// Schemas that are defined outside of the components.
    LocalDefinitions = "local-definitions",
    /// A bound of what is no parameter.
    BoundOfAnswer = "bound-of-answer",
    /// A rule that no value is checked by.
    Constraint = "constraint",
    /// A type that JSON Schema does not have.
    UnknownType = "unknown-type",
    /// A `$ref` out of the components.
    ReferenceOutside = "reference-outside",
    /// A `$ref` to a component of another kind.
    ReferenceKind = "reference-kind",
    /// A `$ref` to a part of a component.
    ReferenceInside = "reference-inside",
    /// A `$ref` to what is not there.
    ReferenceMissing = "reference-missing",
    /// A `$ref` to what is itself only a reference.
    ReferenceChain = "reference-chain",
    /// A `$ref` that leads back to itself.
    ReferenceCircular = "reference-circular",

    /// A tag that names no module.
    TagName = "tag-name",
    /// A tag that is declared twice.
    DuplicateTag = "duplicate-tag",
    /// An operation with no tag, or several.
    OneTag = "one-tag",
    /// A tag that is not declared.
    UnknownTag = "unknown-tag",
    /// No server, or several, in one place.
    OneServer = "one-server",
    /// A server whose address is not one variable.
    ServerUrl = "server-url",
    /// A server variable that names no address.
    ServerName = "server-name",
    /// A credential other than an API key in a header.
    SecuritySchemeKind = "security-scheme-kind",
    /// A security scheme that names no argument.
    SecuritySchemeName = "security-scheme-name",
    /// A name that no header can have.
    HeaderName = "header-name",
    /// A security requirement that is no object.
    SecurityRequirement = "security-requirement",
    /// An operation that anyone may call.
    NoCredentials = "no-credentials",
    /// A security scheme that is not declared.
    UnknownSecurityScheme = "unknown-security-scheme",
    /// Scopes of an API key.
    Scopes = "scopes",

    /// A path without `get`.
    PathWithoutGet = "path-without-get",
    /// A path that does not begin with a slash.
    PathSlash = "path-slash",
    /// A segment of a path that the router takes for something else.
    PathSegment = "path-segment",
    /// A segment of a path that mixes text and a parameter.
    PathMixedSegment = "path-mixed-segment",
    /// A parameter that stands twice in a path.
    PathParameterTwice = "path-parameter-twice",
    /// A parameter in a path that is not declared.
    PathParameterUndeclared = "path-parameter-undeclared",
    /// A declared path parameter that is not in the path.
    PathParameterUnused = "path-parameter-unused",
    /// A path parameter that is not required.
    PathParameterOptional = "path-parameter-optional",
    /// Two paths that the router cannot tell apart.
    PathsCollide = "paths-collide",
    /// An operation's name that is no name of a method.
    OperationId = "operation-id",
    /// An operation's name that generated code has taken.
    OperationIdTaken = "operation-id-taken",
    /// Two operations, or two events, of one name.
    OperationIdTwice = "operation-id-twice",

    /// A parameter in a cookie.
    CookieParameter = "cookie-parameter",
    /// A parameter somewhere that no request has.
    ParameterLocation = "parameter-location",
    /// A parameter that is declared twice.
    ParameterTwice = "parameter-twice",
    /// A parameter whose type no parameter has.
    ParameterType = "parameter-type",
    /// A parameter whose name no field can have.
    ParameterName = "parameter-name",

    /// An operation without a successful answer.
    NoSuccess = "no-success",
    /// A successful answer beside 200.
    SuccessStatus = "success-status",
    /// A status that is not carried.
    ResponseStatus = "response-status",
    /// A header of an answer that is not carried.
    ResponseHeader = "response-header",
    /// An answer without a body.
    NoBody = "no-body",
    /// A 304 with a body.
    NotModifiedBody = "not-modified-body",
    /// `304`, `If-None-Match` or `ETag` without the other two.
    Conditional = "conditional",
    /// A body in several formats.
    SeveralMediaTypes = "several-media-types",
    /// A body in another format than JSON.
    MediaType = "media-type",
    /// An error that is no `Problem`.
    ErrorBody = "error-body",
    /// A body that is written where it is used.
    InlineBody = "inline-body",

    /// A way of paging that is not known.
    PagingStyle = "paging-style",
    /// A parameter that paging needs is missing.
    PagingParameter = "paging-parameter",
    /// A parameter of paging has another type.
    PagingParameterType = "paging-parameter-type",
    /// A page that is no object.
    PagingBody = "paging-body",
    /// A property that paging needs is missing.
    PagingProperty = "paging-property",
    /// A property of paging has another type.
    PagingPropertyType = "paging-property-type",
    /// The items of a page are no required list of a named schema.
    PagingItems = "paging-items",
    /// One schema is a page in two ways.
    PagingConflict = "paging-conflict",

    /// An event's name that is taken.
    EventTaken = "event-taken",
    /// An event's payload that is no named schema.
    EventPayload = "event-payload",
    /// An event's payload that does not say which event it is.
    EventType = "event-type",

    /// `deprecated` or `x-deprecation`, without the other.
    Deprecation = "deprecation",
    /// A deprecation from a day that does not exist.
    DeprecationDate = "deprecation-date",

    /// A schema that belongs to no area.
    NoArea = "no-area",
    /// A column of `x-columns` that is no property of its schema.
    UnknownColumn = "unknown-column",
    /// A schema's name that is no name of a type.
    SchemaName = "schema-name",
    /// A schema's name that generated code has taken.
    SchemaNameTaken = "schema-name-taken",
    /// A named schema that is neither an object nor an enum.
    NamedSchema = "named-schema",
    /// A keyword that means nothing for a schema of this kind.
    StrayKeyword = "stray-keyword",
    /// An object without `type: object`.
    ObjectType = "object-type",
    /// An object without properties.
    EmptyObject = "empty-object",
    /// An object that refuses unknown members.
    ClosedObject = "closed-object",
    /// An object whose unknown members have a type.
    TypedMembers = "typed-members",
    /// A required property that is no property.
    RequiredUnknown = "required-unknown",
    /// An object that holds itself, without end.
    EndlessSchema = "endless-schema",
    /// A property whose name no field can have.
    PropertyName = "property-name",
    /// An enum of other values than strings.
    EnumType = "enum-type",
    /// An enum without values.
    EmptyEnum = "empty-enum",
    /// A value that stands twice in an enum.
    EnumValueTwice = "enum-value-twice",
    /// A value of an enum that gives no name.
    EnumValueName = "enum-value-name",
    /// A value of an open enum that meets the variant for unknown values.
    EnumCatchAll = "enum-catch-all",
    /// Two names that are one in Rust.
    NamesCollide = "names-collide",

    /// A schema without a type.
    NoType = "no-type",
    /// Null, and nothing else.
    OnlyNull = "only-null",
    /// An array that does not say of what.
    NoItems = "no-items",
    /// A `oneOf` that is not a nullable reference.
    OneOf = "one-of",
    /// A format that is not carried.
    UnknownFormat = "unknown-format",
    /// A bound of the length of a string that has a format.
    LengthBesideFormat = "length-beside-format",
    /// A bound of a number that is not whole.
    NumberBound = "number-bound",
    /// A bound that no integer of its format reaches.
    BoundOutsideFormat = "bound-outside-format",
    /// Bounds that no value meets.
    ImpossibleBounds = "impossible-bounds",
    /// A map whose keys are neither strings nor of an enum.
    MapKeys = "map-keys",
    /// `propertyNames` of what is no map.
    PropertyNamesWithoutMap = "property-names-without-map",
    /// An inline object that can have no members.
    MemberlessObject = "memberless-object",

    /// A default of null.
    DefaultNull = "default-null",
    /// A default of what must be given.
    DefaultOfRequired = "default-of-required",
    /// A default of a type that can have none.
    DefaultNotCarried = "default-not-carried",
    /// A default that breaks its own schema.
    DefaultMismatch = "default-mismatch",
    /// An example that breaks its own schema.
    ExampleMismatch = "example-mismatch",
}
