//! Statuses of an order, and its steps.
//!
//! A step is written `{status}.{method}.{step}`, such as `received.walk_in_test.ordered`. One table defines all direct
//! transitions; `ORDER_STATUSES.md` shows it. Steps are reported late, or not at all: a step may therefore follow each
//! step from which it is reachable, by any number of transitions ([`Step::can_follow`]).
//!
//! ```
//! use wearlab_labs::status::{OrderStatus, Step};
//!
//! let ordered: Step = "received.walk_in_test.ordered".parse().unwrap();
//! let drawn: Step = "collecting_sample.walk_in_test.draw_completed".parse().unwrap();
//! assert_eq!(drawn.status(), OrderStatus::CollectingSample);
//! assert!(drawn.can_follow(ordered) && !ordered.can_follow(drawn));
//! ```

mod closure;
pub mod document;
mod history;
mod names;
mod parse;
mod refusal;
mod step;
mod table;
#[cfg(test)]
mod tests;

pub use self::history::{Change, Entry, History, Inserted};
pub use self::names::{CollectionMethod, OrderStatus};
pub use self::parse::ParseStepError;
pub use self::refusal::Refusal;
pub use self::step::Step;
