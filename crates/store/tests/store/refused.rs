//! Opening: what is refused, and how it is named.

use std::fs;
use std::path::Path;

use wearlab_store::{Store, StoreError};

#[test]
fn what_is_no_store_is_refused_and_left_alone() {
    let big = "no database, ".repeat(1_000);
    for text in ["no database", big.as_str()] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("wearlab.db");
        fs::write(&file, text).expect("writes");
        let error = Store::open(folder.path()).expect_err("is refused");
        assert!(
            matches!(&error, StoreError::NotAStore { path } if *path == file),
            "{error:?}"
        );
        assert!(error.to_string().contains(&file.display().to_string()));
        assert_eq!(fs::read_to_string(&file).expect("reads"), text);
    }

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("wearlab.db");
    let foreign = rusqlite::Connection::open(&file).expect("a database");
    foreign
        .execute_batch("CREATE TABLE notes (text TEXT)")
        .expect("a table");
    drop(foreign);
    let before = fs::read(&file).expect("reads");
    let error = Store::open(folder.path()).expect_err("is refused");
    assert!(matches!(error, StoreError::NotAStore { .. }), "{error:?}");
    assert_eq!(fs::read(&file).expect("reads"), before);
}

#[test]
fn a_damaged_file_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(Store::open(folder.path()).expect("opens"));
    let file = folder.path().join("wearlab.db");
    let good = fs::read(&file).expect("reads");
    let mut overwritten = good.clone();
    overwritten[100..4_096].fill(0xff);
    for damaged in [&good[..4_096], overwritten.as_slice()] {
        fs::write(&file, damaged).expect("writes");
        let error = Store::open(folder.path()).expect_err("is refused");
        assert!(
            matches!(&error, StoreError::Damaged { path, .. } if *path == file),
            "{error:?}"
        );
        assert!(error.to_string().contains(&file.display().to_string()), "{error}");
        assert!(std::error::Error::source(&error).is_some());
    }
}

#[test]
fn what_the_engine_cannot_open_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(Store::open(folder.path()).expect("opens"));
    // Where the engine wants to write its log.
    fs::create_dir(folder.path().join("wearlab.db-wal")).expect("a folder");
    named(folder.path());
}

#[cfg(unix)]
#[test]
fn a_folder_without_the_right_to_write_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    drop(Store::open(folder.path()).expect("opens"));
    let allow = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).expect("sets the mode");
    allow(0o500);
    // Nothing is forbidden to the superuser.
    if fs::write(folder.path().join("probe"), "").is_err() {
        named(folder.path());
    }
    allow(0o700);
}

/// Panics unless the store is refused, with an error that names its file and has a cause.
fn named(folder: &Path) {
    let file = folder.join("wearlab.db");
    let error = Store::open(folder).expect_err("is refused");
    assert!(
        matches!(&error, StoreError::Unusable { path, .. } if *path == file),
        "{error:?}"
    );
    assert!(error.to_string().contains(&file.display().to_string()), "{error}");
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn a_newer_schema_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(Store::open(folder.path()).expect("opens"));
    let file = folder.path().join("wearlab.db");
    let raw = rusqlite::Connection::open(&file).expect("a database");
    raw.pragma_update(None, "user_version", 99).expect("sets the version");
    drop(raw);
    let error = Store::open(folder.path()).expect_err("is refused");
    assert!(
        matches!(
            error,
            StoreError::NewerSchema {
                found: 99,
                known: 1,
                ..
            }
        ),
        "{error:?}"
    );
    assert!(error.to_string().contains("wearlab.db"), "{error}");
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("writes");
    for path in [file.clone(), file.join("below")] {
        let error = Store::open(&path).expect_err("is refused");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        assert!(std::error::Error::source(&error).is_some());
    }
}
