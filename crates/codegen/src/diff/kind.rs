//! The kinds of changes.

macro_rules! kinds {
    ($($(#[$docs:meta])* $kind:ident,)*) => {
        /// Kind of a change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$docs])* $kind,)*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];
        }
    };
}

kinds! {
    /// A server is new.
    ServerAdded,
    /// A server was removed.
    ServerRemoved,
    /// The default URL of a server changed.
    ServerDefault,
    /// A credential is new.
    CredentialAdded,
    /// A credential is gone.
    CredentialRemoved,
    /// A credential is sent in another header.
    CredentialHeader,
    /// A credential is sent in another place of the request.
    CredentialPlace,
    /// The client's setter of a credential has another name.
    CredentialSetter,
    /// Another name of a credential's header was added or removed.
    CredentialAlias,
    /// An operation is new.
    OperationAdded,
    /// An operation is gone.
    OperationRemoved,
    /// An operation has another `operationId`.
    OperationRenamed,
    /// An operation has another path.
    OperationPath,
    /// An operation has another tag.
    OperationTag,
    /// An operation has another server.
    OperationServer,
    /// An operation requires other credentials.
    OperationSecurity,
    /// An operation has another method.
    OperationMethod,
    /// An operation requires other scopes.
    OperationScopes,
    /// An operation returns another type.
    OperationBody,
    /// An operation succeeds with another status.
    OperationStatus,
    /// A response declares its first headers, or no longer any.
    ResponseHeaders,
    /// The errors of an operation have other bodies.
    ErrorBody,
    /// A request has a body now.
    RequestBodyAdded,
    /// A request no longer has a body.
    RequestBodyRemoved,
    /// The body of a request has another type.
    RequestBodyType,
    /// The body of a request became required.
    RequestBodyRequired,
    /// The body of a request became optional.
    RequestBodyOptional,
    /// An operation became paged.
    PagingAdded,
    /// An operation is no longer paged.
    PagingRemoved,
    /// An operation is paged in another way.
    PagingChanged,
    /// An operation evaluates `If-None-Match` now.
    ConditionalAdded,
    /// An operation no longer evaluates `If-None-Match`.
    ConditionalRemoved,
    /// A parameter is new.
    ParameterAdded,
    /// A parameter is gone.
    ParameterRemoved,
    /// A parameter moved to another location of the request.
    ParameterLocation,
    /// A parameter has another type.
    ParameterType,
    /// The items of a list are separated in another way.
    ParameterStyle,
    /// Another name of a parameter or a field was added or removed.
    Alias,
    /// A parameter became required.
    ParameterRequired,
    /// A parameter became optional.
    ParameterOptional,
    /// The default of a parameter changed.
    ParameterDefault,
    /// The required parameters, which are arguments, are in another order.
    ParameterOrder,
    /// The bounds of a parameter or a body accept less.
    BoundTightened,
    /// The bounds of a parameter or a body accept more.
    BoundLoosened,
    /// An event is new.
    EventAdded,
    /// An event is gone.
    EventRemoved,
    /// An event has another `operationId`.
    EventRenamed,
    /// An event has another type.
    EventType,
    /// An event has another payload.
    EventPayload,
    /// A schema is new.
    SchemaAdded,
    /// A schema is gone.
    SchemaRemoved,
    /// A parameter, a property or a value of an enum has another name in Rust.
    RustName,
    /// A schema has another name.
    SchemaRenamed,
    /// A schema has another tag.
    SchemaTag,
    /// A schema changed its kind: an object, an open enum or a closed enum.
    SchemaKind,
    /// The type that a schema is another name of changed.
    SchemaType,
    /// A union is distinguished by another property, or by none.
    UnionDiscriminator,
    /// An object keeps undeclared members now, or no longer.
    SchemaOpenness,
    /// A field is new.
    FieldAdded,
    /// A field is gone.
    FieldRemoved,
    /// A field has another type.
    FieldType,
    /// A field is in a `Box` now, or no longer, since its type contains itself now, or no longer.
    FieldBoxed,
    /// A field may be absent or null in more cases.
    FieldOptional,
    /// A field may be absent or null in fewer cases.
    FieldRequired,
    /// The default of a field changed.
    FieldDefault,
    /// A field is redacted in `Debug` now, or no longer.
    FieldSensitive,
    /// A value of an enum is new.
    ValueAdded,
    /// A value of an enum is gone.
    ValueRemoved,
    /// The order of the values of an enum changed.
    ValuesReordered,
    /// An attribute of the values of an enum is new, gone, or has another value.
    ValueAttribute,
    /// A part is deprecated now.
    Deprecated,
    /// A part is no longer deprecated, or its deprecation changed.
    DeprecationChanged,
    /// Other errors are listed for an operation.
    ErrorResponses,
    /// Descriptions, examples, and whatever else only appears in comments of the generated code.
    Documentation,
}
