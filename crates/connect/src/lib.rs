//! Pulls of connectors: the data of linked users, from the APIs of their providers into the store.
//!
//! A [`Provider`] knows the API of one provider: it reads the values of a span of days. The [`Puller`] does the rest, the
//! same for all: it takes due tasks from the queue of the store, gets an access token, calls the provider within its
//! limits, and writes the values, their events and the next state of the task in one transaction.
//!
//! [`Inbox`] receives the notices of providers, and makes the tasks due that they concern.
//!
//! | task | created | work |
//! |---|---|---|
//! | `link` | when a user links the provider | learns the provider's id of the user, and creates the other tasks |
//! | `recent:{collection}` | by `link` | reads the last days again, at the pace of the collection |
//! | `history:{collection}` | by `link` | reads the days before, newest first, as the chunks of a historical pull |

mod application;
mod arrivals;
mod connector;
mod inbox;
mod link;
mod notice;
mod observer;
mod pace;
mod provider;
mod provision;
mod puller;
mod quota;
mod reading;
mod recent;
mod refusal;
mod request;
pub mod settings;
mod shared_quota;
mod signature;
mod span;
mod task;
mod timestamped_signature;

pub use self::application::Application;
pub use self::connector::Connector;
pub use self::inbox::{Inbox, NoticeObserver};
pub use self::notice::{Change, Document, Notice, NoticeRequest, NoticeResponse, NoticeSecrets, Received};
pub use self::observer::PullObserver;
pub use self::pace::Pace;
pub use self::provider::{Account, Collection, Profile, Provider, Reply, Session, scopes};
pub use self::puller::{Puller, PullerError};
pub use self::quota::Quota;
pub use self::reading::{Reading, object};
pub use self::refusal::{Refusal, found, pages};
pub use self::signature::{Encoding, SignatureScheme, Timestamp, TimestampUnit};
pub use self::span::Span;
pub use self::timestamped_signature::TimestampedSignature;
