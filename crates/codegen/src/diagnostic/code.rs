//! The stable codes of diagnostics.

use std::fmt;

use super::slugs::slugs;

// In the order of the passes that find them, and of the document.
slugs! {
    /// The text is not YAML.
    NotYaml = "not-yaml",
    /// Values are nested too deeply.
    TooDeep = "too-deep",
    /// The file holds several documents.
    SeveralDocuments = "several-documents",
    /// A duplicate key in an object.
    DuplicateKey = "duplicate-key",
    /// A key is a list or an object.
    KeyNoString = "key-no-string",
    /// A key that YAML parsers read differently.
    AmbiguousKey = "ambiguous-key",
    /// A value that YAML parsers read differently.
    AmbiguousValue = "ambiguous-value",
    /// An alias without an anchor before it, or within its own.
    Alias = "alias",
    /// Aliases that copy too many values.
    AliasExpansion = "alias-expansion",
    /// A tag of YAML.
    YamlTag = "yaml-tag",
    /// A merge key without objects.
    MergeKey = "merge-key",

    /// A reference to a file that cannot be read.
    ReferenceFile = "reference-file",
    /// A reference to a file outside the directory of the root.
    ReferenceDirectory = "reference-directory",
    /// Two components of different files that have one name.
    ComponentTwice = "component-twice",
    /// A path, webhook or component of a file that nothing refers to.
    Unreferenced = "unreferenced",

    /// A mistake in the form of an overlay.
    OverlayForm = "overlay-form",
    /// A target of an overlay that is not a JSONPath, or selects nothing.
    OverlayTarget = "overlay-target",

    /// A rule of `x-defaults`, a part of one, or a tag of a file that is added to nothing.
    DefaultUnused = "default-unused",
    /// A value of a condition of `x-defaults` that holds for nothing.
    DefaultCondition = "default-condition",
    /// A part that is the same as its default.
    DefaultRepeated = "default-repeated",

    /// A Swagger document, which the profile does not read.
    SwaggerDocument = "swagger-document",
    /// A part of a Swagger 2.0 document that OpenAPI 3.1 has no form for.
    SwaggerPart = "swagger-part",
    /// A part of OpenAPI 3.2 that has no form in 3.1.
    LaterVersion = "later-version",
    /// The document has no OpenAPI version.
    NoVersion = "no-version",
    /// An unsupported version of OpenAPI.
    OpenapiVersion = "openapi-version",

    /// A value of the wrong type for its key.
    WrongKind = "wrong-kind",
    /// A missing required key.
    MissingKey = "missing-key",
    /// An unsupported or misspelled key.
    UnknownKey = "unknown-key",
    /// A key that is valid on another object.
    MisplacedKey = "misplaced-key",
    /// A key beside `$ref`, where it has no effect.
    KeyBesideReference = "key-beside-reference",
    /// An unsupported method.
    Method = "method",
    /// A webhook, in the tolerant profile.
    WebhookProfile = "webhook-profile",
    /// Security requirements of a webhook.
    WebhookSecurity = "webhook-security",
    /// A request body of a method that has none.
    RequestBody = "request-body",
    /// Callbacks of an operation.
    Callbacks = "callbacks",
    /// Servers of one operation.
    OperationServers = "operation-servers",
    /// A parameter with another style than the default.
    ParameterStyle = "parameter-style",
    /// A parameter with media types.
    ParameterContent = "parameter-content",
    /// `nullable`, as OpenAPI 3.0 has it.
    NullableKeyword = "nullable-keyword",
    /// `example` in a schema, as OpenAPI 3.0 has it.
    ExampleKeyword = "example-keyword",
    /// An inline enum of something that has none.
    InlineEnum = "inline-enum",
    /// A schema that is composed of several.
    Composition = "composition",
    /// A discriminator.
    Discriminator = "discriminator",
    /// Schemas that are defined outside the components.
    LocalDefinitions = "local-definitions",
    /// An unsupported validation keyword.
    Constraint = "constraint",
    /// An unknown type.
    UnknownType = "unknown-type",
    /// A `$ref` to something other than a component.
    ReferenceOutside = "reference-outside",
    /// A `$ref` to a component of another kind.
    ReferenceKind = "reference-kind",
    /// A `$ref` to a part of a component.
    ReferenceInside = "reference-inside",
    /// A `$ref` without a target.
    ReferenceMissing = "reference-missing",
    /// A component that is only a `$ref`.
    ReferenceChain = "reference-chain",
    /// A circular `$ref`.
    ReferenceCircular = "reference-circular",

    /// A tag that cannot be a module name.
    TagName = "tag-name",
    /// A tag that is declared twice.
    DuplicateTag = "duplicate-tag",
    /// An operation with no tag, or several.
    OneTag = "one-tag",
    /// A tag that is not declared.
    UnknownTag = "unknown-tag",
    /// No server, or several, in one list.
    OneServer = "one-server",
    /// A server whose URL is not a single variable.
    ServerUrl = "server-url",
    /// A server variable with an unsupported name.
    ServerName = "server-name",
    /// An unsupported kind of credential.
    SecuritySchemeKind = "security-scheme-kind",
    /// A security scheme that cannot be an argument name.
    SecuritySchemeName = "security-scheme-name",
    /// An invalid header name.
    HeaderName = "header-name",
    /// A security requirement that is not an object.
    SecurityRequirement = "security-requirement",
    /// A security scheme that is not declared.
    UnknownSecurityScheme = "unknown-security-scheme",
    /// Scopes that are not a list, or not declared.
    Scopes = "scopes",

    /// A path without an operation.
    PathWithoutOperation = "path-without-operation",
    /// A path that does not begin with a slash.
    PathSlash = "path-slash",
    /// A path with a query or a fragment.
    PathQuery = "path-query",
    /// A path segment that the router cannot match.
    PathSegment = "path-segment",
    /// A path segment that is neither text nor parameters with text between them.
    PathMixedSegment = "path-mixed-segment",
    /// A duplicate parameter in a path.
    PathParameterTwice = "path-parameter-twice",
    /// A parameter in a path that is not declared.
    PathParameterUndeclared = "path-parameter-undeclared",
    /// A declared path parameter that is not in the path.
    PathParameterUnused = "path-parameter-unused",
    /// A path parameter that is not required.
    PathParameterOptional = "path-parameter-optional",
    /// Two paths that are the same to the router.
    PathsCollide = "paths-collide",
    /// An operationId that cannot be a method name.
    OperationId = "operation-id",
    /// An operationId that the generated code reserves.
    OperationIdTaken = "operation-id-taken",
    /// A duplicate operationId.
    OperationIdTwice = "operation-id-twice",

    /// An unknown parameter location.
    ParameterLocation = "parameter-location",
    /// Another name of a parameter or a property that has no effect, or is the name of another one.
    OtherName = "other-name",
    /// A parameter that is declared twice.
    ParameterTwice = "parameter-twice",
    /// A parameter with an unsupported type.
    ParameterType = "parameter-type",
    /// A parameter whose name cannot be a field name.
    ParameterName = "parameter-name",

    /// An operation without a successful response.
    NoSuccess = "no-success",
    /// A class of successes, or a stream among several successes.
    SuccessStatus = "success-status",
    /// An unsupported status.
    ResponseStatus = "response-status",
    /// An unsupported response header.
    ResponseHeader = "response-header",
    /// A response without a body.
    NoBody = "no-body",
    /// A body of a response whose status excludes one.
    StatusWithoutBody = "status-without-body",
    /// `304`, `If-None-Match` or `ETag` without the other two.
    Conditional = "conditional",
    /// A schema of text or bytes.
    TextSchema = "text-schema",
    /// A field that a form cannot have.
    FormFields = "form-fields",
    /// A body with several media types.
    SeveralMediaTypes = "several-media-types",
    /// A body with a media type other than JSON.
    MediaType = "media-type",
    /// An inline body.
    InlineBody = "inline-body",

    /// A paged operation of another method than GET.
    PagingMethod = "paging-method",
    /// An unknown pagination style.
    PagingStyle = "paging-style",
    /// A missing parameter for pagination.
    PagingParameter = "paging-parameter",
    /// A pagination parameter with the wrong type.
    PagingParameterType = "paging-parameter-type",
    /// A page that is not an object.
    PagingBody = "paging-body",
    /// A missing property for pagination.
    PagingProperty = "paging-property",
    /// A pagination property with the wrong type.
    PagingPropertyType = "paging-property-type",
    /// Items of a page that are not a required list of a named schema.
    PagingItems = "paging-items",
    /// A schema that is paged in two ways.
    PagingConflict = "paging-conflict",

    /// An event's name that is reserved.
    EventTaken = "event-taken",
    /// An event payload that is not a named object.
    EventPayload = "event-payload",
    /// An event payload without `event_type`.
    EventType = "event-type",

    /// `deprecated` or `x-deprecation`, without the other.
    Deprecation = "deprecation",
    /// An invalid deprecation date.
    DeprecationDate = "deprecation-date",

    /// A schema without a tag.
    NoTag = "no-tag",
    /// A column of `x-columns` that is not a property.
    UnknownColumn = "unknown-column",
    /// An attribute without a description, or whose name cannot be that of a method.
    AttributeName = "attribute-name",
    /// Attributes of a value that the enum does not have.
    AttributeValue = "attribute-value",
    /// An attribute of two types, or with a schema in place of a reference to one.
    AttributeType = "attribute-type",
    /// An attribute that no value has.
    AttributeUnused = "attribute-unused",
    /// A member that problem documents do not have.
    ProblemMember = "problem-member",
    /// A schema's name that cannot be a type name.
    SchemaName = "schema-name",
    /// A schema's name that the generated code reserves.
    SchemaNameTaken = "schema-name-taken",
    /// A keyword that has no effect on a schema of this kind.
    StrayKeyword = "stray-keyword",
    /// An object without `type: object`.
    ObjectType = "object-type",
    /// A required property that is not declared.
    RequiredUnknown = "required-unknown",
    /// An object that always contains itself.
    EndlessSchema = "endless-schema",
    /// A property whose name cannot be a field name.
    PropertyName = "property-name",
    /// An enum of other values than strings.
    EnumType = "enum-type",
    /// An enum without values.
    EmptyEnum = "empty-enum",
    /// A duplicate value of an enum.
    EnumValueTwice = "enum-value-twice",
    /// A value of an open enum that collides with the variant for unknown values.
    EnumCatchAll = "enum-catch-all",
    /// A name that the document chooses, and that is none in Rust.
    RustName = "rust-name",
    /// Two names that are the same in Rust.
    NamesCollide = "names-collide",

    /// A schema without a type.
    NoType = "no-type",
    /// A type that only allows null.
    OnlyNull = "only-null",
    /// A property that cannot be both null and absent, of which the two are to differ.
    DistinguishNull = "distinguish-null",
    /// An array without `items`.
    NoItems = "no-items",
    /// An inline `oneOf` or `anyOf` of several types.
    OneOf = "one-of",
    /// An unsupported format.
    UnknownFormat = "unknown-format",
    /// A bound of the length of a string that has a format.
    LengthBesideFormat = "length-beside-format",
    /// A bound of a number that is not an integer.
    NumberBound = "number-bound",
    /// A bound out of the range of its integer format.
    BoundOutsideFormat = "bound-outside-format",
    /// A regular expression that servers cannot use.
    Pattern = "pattern",
    /// Bounds that no value meets.
    ImpossibleBounds = "impossible-bounds",
    /// A map whose keys are neither strings nor an enum.
    MapKeys = "map-keys",
    /// `propertyNames` on something other than a map.
    PropertyNamesWithoutMap = "property-names-without-map",
    /// An inline object that cannot have members.
    MemberlessObject = "memberless-object",

    /// A default of null.
    DefaultNull = "default-null",
    /// A default of a required value.
    DefaultOfRequired = "default-of-required",
    /// A default of a type that cannot have one.
    UnsupportedDefault = "unsupported-default",
    /// A default that does not match its schema.
    DefaultMismatch = "default-mismatch",
    /// An example that does not match its schema.
    ExampleMismatch = "example-mismatch",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
