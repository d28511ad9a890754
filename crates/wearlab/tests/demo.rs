//! Tests of `wearlab demo` as a process, and of `wearlab api`, which calls it.

#[path = "demo/api.rs"]
mod api;
#[path = "demo/api_as_sent.rs"]
mod api_as_sent;
#[path = "demo/api_errors.rs"]
mod api_errors;
#[path = "commands/closed_output.rs"]
mod closed_output;
#[path = "demo/days.rs"]
mod days;
#[path = "demo/faults.rs"]
mod faults;
#[path = "demo/first_use.rs"]
mod first_use;
#[cfg(unix)]
#[path = "demo/kept_directory.rs"]
mod kept_directory;
#[path = "demo/mcp.rs"]
mod mcp;
#[path = "demo/orders.rs"]
mod orders;
#[path = "demo/settings.rs"]
mod settings;
#[cfg(unix)]
#[path = "demo/unread.rs"]
mod unread;
#[path = "demo/webhooks.rs"]
mod webhooks;

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

fn wearlab(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wearlab"));
    command.args(arguments).env_remove("RUST_LOG");
    command
}

/// Demo that has printed its summary.
struct Demo {
    child: Child,
    says: Value,
    /// Temporary directory, removed even if the demo is killed.
    _directory: Option<tempfile::TempDir>,
}

impl Demo {
    fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, &[])
    }

    /// Starts a demo with environment variables.
    fn start_with(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        // Few tests read days.
        let days: &[&str] = match arguments.contains(&"--days") {
            true => &[],
            false => &["--days", "0"],
        };
        let mut child = wearlab(&["demo", "--json", "--listen", "127.0.0.1:0", "--users", "30"])
            .args(days)
            .args(arguments)
            .env("TMPDIR", directory.path())
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("piped");
        BufReader::new(out).read_line(&mut line).expect("a line");
        Self {
            child,
            says: serde_json::from_str(&line).expect("a line of JSON"),
            _directory: Some(directory),
        }
    }

    fn says(&self, key: &str) -> &str {
        self.says[key].as_str().unwrap_or_else(|| panic!("`{key}` is a string"))
    }

    async fn get(&self, path: &str) -> reqwest::Response {
        let request = reqwest::Client::new().get(format!("{}{path}", self.says("base_url")));
        request
            .header("x-service-api-key", self.says("team_api_key"))
            .send()
            .await
            .expect("a response")
    }

    /// Ends it like Ctrl-C.
    #[cfg(unix)]
    fn interrupt(&mut self) -> std::process::ExitStatus {
        let sent = Command::new("kill")
            .args(["-INT", &self.child.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
        self.child.wait().expect("it ends")
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_is_handled_while_the_data_are_made() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut command = wearlab(&["demo", "--json", "--listen", "127.0.0.1:0", "--users", "200000"]);
    let child = command
        .env("TMPDIR", directory.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut demo = Demo {
        child,
        says: Value::Null,
        _directory: None,
    };
    let made = || std::fs::read_dir(directory.path()).is_ok_and(|mut entries| entries.next().is_some());
    while !made() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(demo.interrupt().success());
    assert!(!made(), "nothing is left behind");
}

#[tokio::test]
async fn it_says_what_a_tester_needs_and_serves() {
    let demo = Demo::start(&[]);
    let keys: Vec<_> = demo
        .says
        .as_object()
        .into_iter()
        .flat_map(|says| says.keys())
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        [
            "base_url",
            "management_url",
            "team_api_key",
            "management_key",
            "link_token",
            "org_id",
            "env",
            "region",
            "team_id",
            "user_id",
            "lab_test_id",
            "lab_account_id",
            "oauth_provider",
        ]
    );
    for path in [
        format!("/v2/user/{}", demo.says("user_id")),
        format!("/v2/user/providers/{}", demo.says("user_id")),
        format!("/v2/link/provider/oauth/{}", demo.says("oauth_provider")),
        format!(
            "/v3/lab_tests/{}/markers?lab_account_id={}",
            demo.says("lab_test_id"),
            demo.says("lab_account_id")
        ),
        "/openapi.json".to_owned(),
    ] {
        assert_eq!(demo.get(&path).await.status(), 200, "{path}");
    }
    let linking = reqwest::Client::new()
        .get(format!(
            "{}/v2/link/provider/oauth/{}",
            demo.says("base_url"),
            demo.says("oauth_provider")
        ))
        .header("x-service-api-key", demo.says("team_api_key"))
        .header("x-service-link-token", demo.says("link_token"));
    assert_eq!(linking.send().await.expect("a response").status(), 200);
    let pipelines = reqwest::Client::new()
        .get(format!(
            "{}/v1/org/{}/team_etl_pipelines/{}/{}",
            demo.says("management_url"),
            demo.says("org_id"),
            demo.says("env"),
            demo.says("region")
        ))
        .header("x-management-key", demo.says("management_key"));
    assert_eq!(pipelines.send().await.expect("a response").status(), 200);
}

#[tokio::test]
async fn a_kept_store_prints_the_same_keys_and_another_seed_does_not() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = directory.path().join("new").join("store");
    let data = data.to_str().expect("text");
    let (first, users) = {
        let demo = Demo::start(&["--data", data]);
        let users: Value = demo.get("/v2/user/").await.json().await.expect("JSON");
        (demo.says.clone(), users)
    };
    let again = Demo::start(&["--data", data]);
    for (key, value) in first.as_object().into_iter().flatten() {
        let changes = ["base_url", "management_url", "link_token"].contains(&key.as_str());
        assert_eq!(again.says[key] != *value, changes, "{key}");
    }
    assert_eq!(again.get("/v2/user/").await.json::<Value>().await.expect("JSON"), users);

    let other = Demo::start(&["--seed", "2"]);
    assert_ne!(other.says["team_api_key"], first["team_api_key"]);
    assert_eq!(other.get("/v2/user/").await.status(), 200);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_cleanly_and_takes_its_data_along() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut command = wearlab(&[
        "demo",
        "--json",
        "--listen",
        "127.0.0.1:0",
        "--users",
        "5",
        "--days",
        "2",
    ]);
    let mut child = command
        .env("TMPDIR", directory.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped"))
        .read_line(&mut line)
        .expect("a line");
    let mut demo = Demo {
        child,
        says: serde_json::from_str(&line).expect("a line of JSON"),
        _directory: None,
    };
    assert!(
        std::fs::read_dir(directory.path())
            .expect("a directory")
            .next()
            .is_some()
    );
    assert!(demo.interrupt().success());
    assert!(
        std::fs::read_dir(directory.path())
            .expect("a directory")
            .next()
            .is_none(),
        "nothing is left behind"
    );
}

/// Destinations that a later service on the directory would call.
#[test]
fn a_directory_has_pipelines_where_they_are_asked_for() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, arguments, expected) in [("without", &[][..], false), ("with", &["--pipelines"], true)] {
        let data = directory.path().join(name);
        let data = data.to_str().expect("text");
        drop(Demo::start(&[&["--data", data], arguments].concat()));
        let setting = format!("secret_key_file={data}/secret.keys");
        let export = wearlab(&["export", "--data", data, "--set", &setting])
            .output()
            .expect("the binary starts");
        assert!(export.status.success());
        let lines = String::from_utf8(export.stdout).expect("text");
        assert!(lines.contains("{\"user\":"), "{lines}");
        assert_eq!(lines.contains("{\"pipeline\":"), expected, "{name}");
    }
}

fn fails(arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } = wearlab(arguments).output().expect("the binary starts");
    assert!(!status.success(), "{arguments:?}");
    assert!(stdout.is_empty(), "{arguments:?}");
    String::from_utf8(stderr).expect("text")
}

#[test]
fn what_cannot_work_is_one_clear_line_and_a_failure() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let taken = taken.local_addr().expect("an address").to_string();
    let text = fails(&["demo", "--listen", &taken]);
    assert!(text.contains(&taken) && text.lines().count() == 1, "{text}");

    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let inside = file.path().join("store");
    for data in [inside.as_path(), Path::new("/dev/null/store")] {
        let data = data.to_str().expect("text");
        let text = fails(&["demo", "--listen", "127.0.0.1:0", "--data", data]);
        assert!(text.contains(data) && text.lines().count() == 1, "{text}");
    }
    for (arguments, complaint) in [
        (&["demo", "--users", "none"][..], "--users"),
        (&["demo", "--users", "0"], "--users"),
        (&["demo", "--days", "100000"], "--days"),
        (&["demo", "--listen", "everywhere"], "--listen"),
        (&["demo", "--colour"], "--colour"),
        (&["dmeo"], "dmeo"),
    ] {
        let text = fails(arguments);
        assert!(text.contains(complaint) && text.lines().count() == 1, "{text}");
    }
}

#[cfg(unix)]
#[test]
fn a_kept_store_is_encrypted_with_a_key_of_its_own() {
    use std::os::unix::fs::MetadataExt;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("store");
    let data = path.to_str().expect("text");
    drop(Demo::start(&["--data", data]));
    let file = path.join("secret.keys");
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").mode() & 0o777;
    assert_eq!((mode(&file), mode(&path)), (0o600, 0o700));
    let key = std::fs::read(&file).expect("reads");
    drop(Demo::start(&["--data", data]));
    assert_eq!(std::fs::read(&file).expect("reads"), key, "it stays");
    let text = fails(&["export", "--data", data]);
    assert!(text.contains("no configured secret key matches"), "{text}");
    let setting = format!("secret_key_file={}", file.display());
    let export = wearlab(&["export", "--data", data, "--set", &setting])
        .output()
        .expect("the binary starts");
    assert!(export.status.success());
    assert!(String::from_utf8_lossy(&export.stdout).contains("{\"order\":"));
}
