//! Test browser, which keeps cookies, and follows redirects on request.

use std::collections::BTreeMap;
use std::sync::Mutex;

use reqwest::header::{CONTENT_TYPE, COOKIE, HeaderMap, LOCATION, SET_COOKIE};
use reqwest::{Client, RequestBuilder, Url, redirect};

/// Browser with the cookies of this machine.
pub(super) struct Browser {
    client: Client,
    cookies: Mutex<BTreeMap<String, String>>,
}

/// Page, or a redirect.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) text: String,
}

impl Page {
    /// Returns the target of a redirect.
    pub(super) fn to(&self) -> &str {
        assert_eq!(self.status, 303, "{}", self.text);
        self.headers[LOCATION].to_str().expect("a URL")
    }

    /// Returns the title of the page.
    pub(super) fn title(&self) -> &str {
        let behind = self.text.split("<title>").nth(1).expect("a title");
        behind.split("</title>").next().expect("its end")
    }
}

impl Browser {
    pub(super) fn new() -> Self {
        let client = Client::builder().redirect(redirect::Policy::none()).build();
        Self {
            client: client.expect("a client"),
            cookies: Mutex::default(),
        }
    }

    /// Returns the session cookie that binds the browser to its authorization requests.
    pub(super) fn session(&self) -> String {
        let cookies = self.cookies.lock().expect("cookies");
        cookies["wearlab-link"].clone()
    }

    async fn send(&self, request: RequestBuilder) -> Page {
        let cookies: Vec<_> = {
            let cookies = self.cookies.lock().expect("cookies");
            cookies.iter().map(|(name, value)| format!("{name}={value}")).collect()
        };
        let request = match cookies.is_empty() {
            true => request,
            false => request.header(COOKIE, cookies.join("; ")),
        };
        let response = request.send().await.expect("a response");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        for cookie in headers.get_all(SET_COOKIE) {
            let cookie = cookie.to_str().expect("text").split(';').next().expect("a pair");
            let (name, value) = cookie.split_once('=').expect("a pair");
            self.cookies
                .lock()
                .expect("cookies")
                .insert(name.to_owned(), value.to_owned());
        }
        Page {
            status,
            headers,
            text: response.text().await.expect("text"),
        }
    }

    pub(super) async fn get(&self, url: &str) -> Page {
        self.send(self.client.get(url)).await
    }

    /// Presses the button of a provider on the link page.
    pub(super) async fn choose(&self, page_url: &str, provider: &str) -> Page {
        self.choose_with(page_url, provider, &[]).await
    }

    /// Does the same with additional headers.
    pub(super) async fn choose_with(&self, page_url: &str, provider: &str, headers: &[(&str, &str)]) -> Page {
        let url = Url::parse(page_url).expect("a URL");
        let form = url.query().expect("a token").to_owned();
        let action = url.join(&format!("/link/{provider}")).expect("a URL");
        let request = self
            .client
            .post(action)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form);
        let request = headers
            .iter()
            .fold(request, |request, (name, value)| request.header(*name, *value));
        self.send(request).await
    }

    /// Opens a provider's consent page, where the user decides immediately, and returns the target of the redirect.
    pub(super) async fn consent(&self, url: &str) -> String {
        // Another host, so no cookies are sent.
        let response = self.client.get(url).send().await.expect("a response");
        assert_eq!(response.status(), 302);
        response.headers()[LOCATION].to_str().expect("a URL").to_owned()
    }

    /// Goes from the link page to the redirect of the provider, and returns its URL.
    pub(super) async fn up_to_callback(&self, page_url: &str, provider: &str) -> String {
        assert_eq!(self.get(page_url).await.status, 200);
        let consent = self.choose(page_url, provider).await.to().to_owned();
        self.consent(&consent).await
    }

    /// Links a provider completely.
    pub(super) async fn link(&self, page_url: &str, provider: &str) -> Page {
        let back = self.up_to_callback(page_url, provider).await;
        self.get(&back).await
    }
}
