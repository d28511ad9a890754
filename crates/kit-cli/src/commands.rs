//! What generated code tells of its document.

use std::fmt::Debug;

use wearlab_kit_client::{Document, Transport};

use crate::operation::{Address, Key, Operation};

/// A document: its operations as commands, and the options of its servers and credentials. Implemented by generated code.
pub trait Commands: Clone + Copy + Debug + Send + Sync + 'static {
    /// The document as the client has it.
    type Document: Document;
    /// The client, which has a method for each operation.
    type Client: From<Transport<Self::Document>>;
    /// The name of the service, before messages.
    const NAME: &'static str;
    /// All operations, in the document's order.
    const OPERATIONS: &'static [&'static Operation<Self>];
    /// The servers of the operations.
    const ADDRESSES: &'static [Address<Self::Document>];
    /// The credentials that operations accept.
    const KEYS: &'static [Key<Self::Document>];
}
