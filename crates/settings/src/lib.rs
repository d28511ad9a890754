//! Parts of the settings of several crates: durations, lists, and the error of an invalid setting.
//!
//! Each crate has the type of its own settings; the command line reads them all from flags, variables and a file.

pub mod duration;
mod invalid_setting;
pub mod list;

pub use self::invalid_setting::InvalidSetting;
