//! Tests of settings of `wearlab serve` that a demo reads from its environment.

use std::process::Stdio;

use crate::{Demo, wearlab};

const PREFIX: &str = "WEARLAB_HTTP__HEADER_PREFIX";

#[tokio::test]
async fn a_demo_takes_the_prefix_of_headers_and_what_a_link_token_may_from_its_environment() {
    let demo = Demo::start_with(
        &[],
        &[
            (PREFIX, "acme"),
            ("WEARLAB_SERVICE__LINK_TOKEN_SUFFICES", "true"),
            ("WEARLAB_HTTP__LISTEN", "not an address: the demo has an option"),
        ],
    );
    let status = |path: String, header: &'static str, key: &'static str| {
        let url = format!("{}{path}", demo.says("base_url"));
        let request = reqwest::Client::new().get(url).header(header, demo.says(key));
        async move { request.send().await.expect("a response").status() }
    };
    let users = || "/v2/user/?limit=1".to_owned();
    assert_eq!(status(users(), "x-acme-api-key", "team_api_key").await, 200);
    assert_eq!(status(users(), "x-service-api-key", "team_api_key").await, 401);
    let home = reqwest::get(format!("{}/", demo.says("base_url")))
        .await
        .expect("a page");
    let home = home.text().await.expect("text");
    assert!(
        home.contains("curl -H &#39;x-acme-api-key: ") || home.contains("curl -H 'x-acme-api-key: "),
        "{home}"
    );
    assert!(!home.contains("x-service-"), "{home}");
    let link = format!("/v2/link/provider/oauth/{}", demo.says("oauth_provider"));
    assert_eq!(status(link, "x-acme-link-token", "link_token").await, 200);
}

#[test]
fn a_demo_says_which_setting_is_invalid_and_shows_the_headers_that_it_reads() {
    let arguments = ["demo", "--listen", "127.0.0.1:0", "--users", "2", "--days", "0"];
    for (variable, value, setting) in [
        (PREFIX, "Acme", "http.header_prefix"),
        (
            "WEARLAB_SERVICE__LINK_TOKEN_SUFFICES",
            "perhaps",
            "service.link_token_suffices",
        ),
    ] {
        let output = wearlab(&arguments).env(variable, value).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(setting), "{said}");
    }
    let mut demo = wearlab(&arguments)
        .env(PREFIX, "acme")
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut said = String::new();
    let mut lines = std::io::BufReader::new(demo.stdout.take().expect("piped"));
    while !said.contains("Press Ctrl-C") {
        assert_ne!(
            std::io::BufRead::read_line(&mut lines, &mut said).expect("a line"),
            0,
            "{said}"
        );
    }
    demo.kill().expect("it ends");
    demo.wait().expect("it ends");
    assert!(
        said.contains("x-acme-api-key") && !said.contains("x-service-"),
        "{said}"
    );
}
