//! Tests of a data directory that a demo keeps: its secret key, and settings of linking in it.

use std::io::{BufRead, BufReader, pipe};
use std::path::Path;
use std::process::Stdio;

use wearlab_store::{ConnectionTokens, EmbeddedSettings, SecretKey, Store};

use crate::first_use::link_printed_user;
use crate::{Demo, wearlab};

/// Returns the secret keys of a directory.
fn keys(data: &Path) -> Vec<SecretKey> {
    let text = std::fs::read_to_string(data.join("secret.keys")).expect("the file");
    let keys = text.lines().map(SecretKey::from_base64);
    keys.collect::<Result<_, _>>().expect("keys")
}

/// Returns the number of providers that are set up for linking.
async fn providers(data: &Path) -> usize {
    let store = Store::open_with(data, &EmbeddedSettings::default(), &keys(data)).expect("opens");
    let mut count = 0;
    for organisation in store.organisations().await.expect("reads") {
        count += store.all_provider_settings(&organisation).await.expect("reads").len();
    }
    count
}

#[tokio::test]
async fn serve_removes_the_simulated_providers_of_a_demo_that_was_killed() {
    let directory = tempfile::tempdir().expect("a directory");
    let data = directory.path().join("data");
    let path = data.to_str().expect("text");
    drop(Demo::start(&["--data", path]));
    assert_ne!(providers(&data).await, 0, "it was killed");
    let keys = format!("secret_key_file={path}/secret.keys");
    let arguments = ["serve", "--data", path, "--listen", "127.0.0.1:0", "--set", &keys];
    let mut child = wearlab(&arguments).stderr(Stdio::piped()).spawn().expect("starts");
    let lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let mut log = lines.map_while(Result::ok);
    let removed = log.any(|line| line.contains("removed the settings of simulated providers"));
    child.kill().expect("it ends");
    child.wait().expect("it ends");
    assert!(removed);
    assert_eq!(providers(&data).await, 0);
}

#[tokio::test]
async fn a_demo_that_cannot_print_leaves_no_simulated_provider() {
    let directory = tempfile::tempdir().expect("a directory");
    let data = directory.path().join("data");
    let path = data.to_str().expect("text");
    let (reader, writer) = pipe().expect("a pipe");
    drop(reader);
    let arguments = [
        "demo",
        "--listen",
        "127.0.0.1:0",
        "--users",
        "3",
        "--days",
        "0",
        "--data",
        path,
    ];
    let output = wearlab(&arguments).stdout(writer).stderr(Stdio::null()).status();
    output.expect("it runs");
    assert_eq!(providers(&data).await, 0);
}

#[tokio::test]
async fn refresh_tokens_of_a_demo_survive_a_restart() {
    let directory = tempfile::tempdir().expect("a directory");
    let data = directory.path().join("data");
    let path = data.to_str().expect("text");
    let refresh = |demo: &Demo, token: &str| {
        let url = format!("{}/simulated/oura/oauth/token", demo.says("base_url"));
        let form = format!(
            "grant_type=refresh_token&refresh_token={token}&client_id=simulated-by-the-demo&client_secret=simulated"
        );
        let request = reqwest::Client::new()
            .post(url)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form);
        async move { request.send().await.expect("a response") }
    };
    let demo = Demo::start(&["--data", path]);
    link_printed_user(&demo).await;
    let (team, user) = (demo.says("team_id"), demo.says("user_id"));
    let (team, user) = (team.parse().expect("an id"), user.parse().expect("an id"));
    let token = {
        let store = Store::open_with(&data, &EmbeddedSettings::default(), &keys(&data)).expect("opens");
        let team = store
            .write(|write| write.team(team))
            .await
            .expect("reads")
            .expect("a team");
        let found = store.connection_tokens(team, user, "oura").await.expect("reads");
        let Some(ConnectionTokens::Linked(linked)) = found else {
            panic!("{found:?}")
        };
        let token = linked.tokens.refresh_token.expect("a token");
        token.expose().to_owned()
    };
    drop(demo);
    let demo = Demo::start(&["--data", path]);
    let refreshed = refresh(&demo, &token).await;
    assert_eq!(refreshed.status(), 200);
    assert_eq!(refresh(&demo, &token).await.status(), 400, "it is good once");
    assert_eq!(
        refresh(&Demo::start(&[]), &token).await.status(),
        400,
        "of another store"
    );
}

#[test]
fn a_store_of_another_key_is_left_without_a_key_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let data = directory.path().join("data");
    let path = data.to_str().expect("text");
    drop(Demo::start(&["--data", path]));
    let (file, moved) = (data.join("secret.keys"), directory.path().join("secret.keys"));
    std::fs::rename(&file, &moved).expect("moves");
    let arguments = ["demo", "--listen", "127.0.0.1:0", "--data", path];
    for _ in 0..2 {
        let output = wearlab(&arguments).stdout(Stdio::null()).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && said.contains("no configured secret key matches"),
            "{said}"
        );
        let names: Vec<_> = std::fs::read_dir(&data).expect("reads").flatten().collect();
        assert!(
            names
                .iter()
                .all(|entry| !entry.file_name().to_string_lossy().contains("secret.keys")),
            "{names:?}"
        );
    }
    std::fs::rename(&moved, &file).expect("moves back");
    drop(Demo::start(&["--data", path]));
}
