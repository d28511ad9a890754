//! The document of the table of steps is that of the code.

use std::fs;
use std::path::Path;

use wearlab_labs::status::document;

#[test]
fn the_document_is_that_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ORDER_STATUSES.md");
    let expected = document::markdown();
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        fs::write(&path, &expected).expect("write ORDER_STATUSES.md");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "ORDER_STATUSES.md is not that of src/status/table.rs: \
         run `INSTA_UPDATE=always cargo test -p wearlab-labs --test document`"
    );
}
