use serde::{Deserialize, Serialize};
use serde_json::json;

use super::*;

#[derive(Debug, PartialEq, Deserialize, Serialize)]
struct Upload {
    title: String,
    tags: Vec<String>,
    about: Option<Value>,
    file: FilePart,
    more: Vec<FilePart>,
}

const FIELDS: [Field; 5] = [
    Field::text("title"),
    Field::text("tags").list(),
    Field::json("about"),
    Field::file("file").of(&["image/*", "application/pdf"]),
    Field::file("more").list(),
];

fn upload() -> Upload {
    Upload {
        title: "a \"b\"".to_owned(),
        tags: vec!["x".to_owned(), "y".to_owned()],
        about: Some(json!({ "n": [1, null] })),
        file: FilePart::new("png")
            .with_filename("a.png")
            .with_content_type("image/png"),
        more: vec![
            FilePart::new(vec![0xff])
                .with_filename("b")
                .with_content_type("application/octet-stream"),
        ],
    }
}

fn sent(name: &str, content_type: Option<&str>, content: &str) -> Part {
    Part {
        name: name.to_owned(),
        filename: None,
        content_type: content_type.map(str::to_owned),
        content: whole(content.to_owned()),
    }
}

#[test]
fn what_is_sent_is_received() {
    let parts = parts(&upload(), &FIELDS).expect("parts");
    assert_eq!(parts.len(), 6);
    let read = received(parts, &FIELDS);
    assert_eq!(read.wrong, []);
    let found: Upload = value(read.value.into(), read.files).expect("an upload");
    assert_eq!(found, upload());
}

#[test]
fn names_and_types_that_are_not_given_are_those_of_the_document() {
    let mut bare = upload();
    bare.file = FilePart::new("pdf");
    bare.more = vec![FilePart::new("x")];
    let parts = parts(&bare, &FIELDS).expect("parts");
    let of = |name: &str| parts.iter().find(|part| part.name == name).expect("a part");
    assert_eq!(of("file").filename.as_deref(), Some("file"));
    assert_eq!(of("file").content_type.as_deref(), Some("application/pdf"));
    assert_eq!(of("more").content_type.as_deref(), Some("application/octet-stream"));
    assert_eq!(of("about").content_type.as_deref(), Some("application/json"));
    assert_eq!(of("title").content_type, None);
}

#[test]
fn what_does_not_fit_is_said_of_its_part() {
    let all = vec![
        sent("title", None, "a"),
        sent("title", None, "b"),
        sent("tags", Some("text/plain; charset=utf-8"), "a"),
        sent("tags", Some("image/png"), "a"),
        sent("about", None, "{"),
        sent("file", Some("text/plain"), "a"),
        sent("other", None, "a"),
    ];
    let read = received(all, &FIELDS);
    let wrong: Vec<_> = read
        .wrong
        .iter()
        .map(|wrong| (wrong.name.as_str(), wrong.index, wrong.code))
        .collect();
    let all = [
        ("title", None, "repeated"),
        ("tags", Some(1), "media_type"),
        ("about", None, "malformed"),
        ("file", None, "media_type"),
    ];
    assert_eq!(wrong, all);
    assert!(read.value.contains_key("other"));
    assert_eq!(read.wrong[3].message, "must be image/* or application/pdf");
}
