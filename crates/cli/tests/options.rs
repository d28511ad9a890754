//! The options of all operations together.

use clap::{Args, Command};
use wearlab_cli::{Options, is_variable};

#[test]
fn option_names_are_unique() {
    Options::augment_args(Command::new("api")).debug_assert();
}

#[test]
fn variables_are_known() {
    for variable in ["WEARLAB_BASE_URL", "WEARLAB_API_KEY", "WEARLAB_HEADER_PREFIX"] {
        assert!(is_variable(variable), "{variable}");
    }
    assert!(!is_variable("WEARLAB_LISTEN"));
}
