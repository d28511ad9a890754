//! Examples of the client, run against the service.

use wearlab_client::{Client, Error};
use wearlab_models::Uuid;
use wearlab_tests::Running;

/// The `main` of an example reads the environment. Here its parts are called.
macro_rules! examples {
    ($($name:ident: $path:literal),* $(,)?) => {
        $(
            #[expect(dead_code, reason = "its parts are called from here")]
            #[path = $path]
            mod $name;
        )*
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

examples! {
    errors: "../../crates/client/examples/errors.rs",
    list_users: "../../crates/client/examples/list_users.rs",
    per_call: "../../crates/client/examples/per_call.rs",
    raw: "../../crates/client/examples/raw.rs",
    resume: "../../crates/client/examples/resume.rs",
    tracing: "../../crates/client/examples/tracing.rs",
}

#[test]
fn all_are_here() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/client/examples");
    let files = std::fs::read_dir(directory).expect("a directory");
    let mut names: Vec<_> = files
        .map(|file| file.expect("a file").path())
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, NAMES);
}

#[tokio::test]
async fn errors_are_distinguished() {
    let running = Running::start(20).await;
    let client = running.client();
    let found = errors::find(&client, running.sample.user_id).await;
    assert!(found.starts_with("created on "), "{found}");
    assert_eq!(errors::find(&client, Uuid::nil()).await, "there is no such user");
    let page = errors::page(&client, 2).await;
    assert!(page.starts_with("2 of ") && page.ends_with(" users"), "{page}");
    let refused = errors::page(&client, 1000).await;
    assert!(refused.starts_with("/query/limit: "), "{refused}");
    let stranger = Client::builder()
        .base_url(&running.url)
        .api_key("none")
        .build()
        .expect("a client");
    assert_eq!(errors::find(&stranger, Uuid::nil()).await, "the API key is not valid");
}

#[tokio::test]
async fn lists_are_walked_and_resumed() {
    let running = Running::start(73).await;
    let client = running.client();
    let total = client.list_users().send().await.expect("all users").users.len();
    assert!(total > 30, "{total} users");
    assert_eq!(list_users::run(&client).await.expect("all users").len(), total);
    let (mut counts, mut place) = (Vec::new(), None);
    loop {
        let (taken, next) = resume::take(&client, place, 30).await.expect("users");
        counts.push(taken);
        place = next;
        if place.is_none() {
            break;
        }
    }
    assert_eq!(counts.iter().sum::<usize>(), total);
    assert_eq!(counts.len(), total.div_ceil(30), "{counts:?}");
}

#[tokio::test]
async fn a_call_has_settings_and_a_raw_answer() {
    let running = Running::start(3).await;
    let client = running.client();
    let id = per_call::run(&client, "example-7").await.expect("a response");
    assert_eq!(id.as_deref(), Some("example-7"));
    let output = raw::run(&client).await.expect("a response");
    let total = client.list_users().send().await.expect("users").total;
    assert!(
        output.ends_with(&format!("bytes of application/json, {total} users")),
        "{output}"
    );
}

#[tokio::test]
async fn calls_are_traced() {
    let running = Running::start(3).await;
    let lines = crate::spans::Lines::default();
    let writer = lines.clone();
    let message: Result<(), Error> = {
        let _guard = crate::spans::set(tracing::subscriber(move || writer.clone()));
        tracing::run(&running.client()).await
    };
    message.expect("a response");
    let text = lines.text();
    assert!(
        text.contains("list_providers") && text.contains("response received tried=1 status=200"),
        "{text}"
    );
}
