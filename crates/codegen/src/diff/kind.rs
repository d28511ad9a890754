//! The kinds of changes that are told apart.

macro_rules! kinds {
    ($($(#[$docs:meta])* $kind:ident,)*) => {
        /// What kind of change it is.
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
    /// An address that operations are answered at is new.
    ServerAdded,
    /// An address is gone.
    ServerRemoved,
    /// An address has another default.
    ServerDefault,
    /// A credential is new.
    CredentialAdded,
    /// A credential is gone.
    CredentialRemoved,
    /// A credential comes in another header.
    CredentialHeader,
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
    OperationArea,
    /// An operation is answered at another address.
    OperationServer,
    /// An operation asks for other credentials.
    OperationSecurity,
    /// An operation answers another type.
    OperationBody,
    /// An operation is paged now.
    PagingAdded,
    /// An operation is paged no longer.
    PagingRemoved,
    /// An operation is paged in another way.
    PagingChanged,
    /// An operation evaluates `If-None-Match` now.
    ConditionalAdded,
    /// An operation evaluates `If-None-Match` no longer.
    ConditionalRemoved,
    /// A parameter is new.
    ParameterAdded,
    /// A parameter is gone.
    ParameterRemoved,
    /// A parameter stands elsewhere in the request.
    ParameterLocation,
    /// A parameter has another type.
    ParameterType,
    /// A parameter must be given now.
    ParameterRequired,
    /// A parameter may be left out now.
    ParameterOptional,
    /// A parameter that is left out means something else.
    ParameterDefault,
    /// A parameter's bound accepts less.
    BoundTightened,
    /// A parameter's bound accepts more.
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
    /// A schema has another name.
    SchemaRenamed,
    /// A schema stands in another area.
    SchemaArea,
    /// A schema is another thing: an object, an open enum, a closed enum.
    SchemaKind,
    /// An object keeps members without a name now, or no longer.
    SchemaOpenness,
    /// A field is new.
    FieldAdded,
    /// A field is gone.
    FieldRemoved,
    /// A field has another type.
    FieldType,
    /// A field is more often without a value.
    FieldOptional,
    /// A field is less often without a value.
    FieldRequired,
    /// A field without a value means something else.
    FieldDefault,
    /// A field is shown in `Debug` no longer, or again.
    FieldSensitive,
    /// A value of an enum is new.
    ValueAdded,
    /// A value of an enum is gone.
    ValueRemoved,
    /// The values of an enum stand in another order.
    ValuesReordered,
    /// A part is deprecated now.
    Deprecated,
    /// A part is deprecated no longer, or with other words.
    DeprecationChanged,
    /// Other errors are listed for an operation.
    ErrorAnswers,
    /// Descriptions, examples, and whatever else the generated code has as comments alone.
    Words,
}
