//! Facts of the document, implemented by generated code.

use std::fmt::Debug;

use wearlab_kit_types::carrier::HasCarrier;

/// A document: its servers, its credentials, and the names of their settings. Implemented by generated code.
pub trait Document: Clone + Copy + Debug + Send + Sync + 'static {
    /// A server of the document.
    type Server: Clone + Copy + Debug + Eq + Send + Sync + 'static;
    /// A credential of the document.
    type Credential: HasCarrier;
    /// The server whose address those have that are given none.
    const SERVICE: Self::Server;
    /// The setter of each address, and the variable of the environment that it is read from.
    const ADDRESSES: &'static [(Self::Server, &'static str, &'static str)];
    /// The default URLs of servers, which third-party documents have. That of the service is the URL of a client that sets
    /// none. The others are used as long as the service is at its default URL.
    const URLS: &'static [(Self::Server, &'static str)] = &[];
    /// The setter of each credential, and the variable of the environment that it is read from.
    const SETTERS: &'static [(Self::Credential, &'static str, &'static str)];
    /// The variable of the environment that the word in header names is read from.
    const PREFIX_VARIABLE: &'static str;
    /// The `User-Agent` of requests, unless another one is set.
    const USER_AGENT: &'static str;
}
