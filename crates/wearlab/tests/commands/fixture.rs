//! Fixture: a directory with a store, and commands on it.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Lines of a small world: one team with one user, who has a connection and a device. The team's key is
/// `wl_team_first`, which is too short to be given as it is.
pub(crate) const WORLD: &str = r#"
{"organisation": {"org_id": "org_one"}}
{"team": {"team_id": "00000000-0000-0000-0000-000000000001", "org_id": "org_one", "environment": "sandbox", "region": "eu"}}
{"key": {"team_id": "00000000-0000-0000-0000-000000000001", "name": "first", "hash": "705be1bd6f4742283706ca21c3c539aadb7ddba291ccafacd3703eda78041bfd"}}
{"user": {"user_id": "00000000-0000-0000-0000-000000000007", "team_id": "00000000-0000-0000-0000-000000000001", "client_user_id": "client-7", "created_on": "2026-01-02T03:04:05Z", "connected_sources": [], "fallback_time_zone": {"id": "Europe/Oslo", "source_slug": "manual", "updated_at": "2026-01-02T03:04:05Z"}}}
{"connection": {"team_id": "00000000-0000-0000-0000-000000000001", "user_id": "00000000-0000-0000-0000-000000000007", "provider": {"name": "Stridewell", "slug": "stridewell", "logo": "https://logos.example/s.svg", "status": "connected", "created_on": "2026-01-03T00:00:00Z", "resource_availability": {}}}}
{"device": {"team_id": "00000000-0000-0000-0000-000000000001", "device": {"id": "00000000-0000-0000-0000-000000000070", "user_id": "00000000-0000-0000-0000-000000000007", "provider": "stridewell", "source_type": "watch"}}}
{"pipeline": {"team_id": "00000000-0000-0000-0000-000000000001", "preferences": {"preferred": "rabbitmq", "enabled": ["rabbitmq"]}, "push_historical_data": false, "provider_raw_data": false, "rabbitmq": {"uri": "amqp://me:hushhush@127.0.0.1:1/events", "exchange": "events"}, "event_type_prefixes": []}}
"#;

/// Setting that allows plain text.
pub(crate) const PLAINTEXT: &str = "WEARLAB_ALLOW_PLAINTEXT_SECRETS";

pub(crate) const TEAM: &str = "00000000-0000-0000-0000-000000000001";
pub(crate) const USER: &str = "00000000-0000-0000-0000-000000000007";

pub(crate) struct Fixture {
    pub(crate) directory: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().expect("a directory"),
        }
    }

    /// Creates a fixture with [`WORLD`].
    pub(crate) fn with_world() -> Self {
        let fixture = Self::new();
        let output = fixture.import(WORLD, &[]);
        assert!(output.status.success(), "{}", error(&output));
        fixture
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.directory.path().join(name);
        fs::write(&path, text).expect("writes");
        // It may be a file of keys, which others must not read.
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("it is ours");
        path.display().to_string()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wearlab"));
        command.args(arguments).arg("--data").arg(self.data());
        command.env_remove("RUST_LOG").env_remove("WEARLAB_TEST_DATABASE");
        // Files without encryption are tested, too.
        command.env(PLAINTEXT, "true");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }

    /// Returns the output of a command that must succeed.
    pub(crate) fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", error(&output));
        String::from_utf8(output.stdout).expect("text")
    }

    pub(crate) fn import(&self, lines: &str, arguments: &[&str]) -> Output {
        let mut child = self
            .command(&["import", "-"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut stdin = child.stdin.take().expect("piped");
        stdin.write_all(lines.as_bytes()).expect("writes");
        drop(stdin);
        child.wait_with_output().expect("it ends")
    }

    pub(crate) fn export(&self) -> String {
        self.says(&["export", "--with-secrets"])
    }
}

/// Returns the standard error of a command.
pub(crate) fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
