//! Servers: the URLs of the interface.

use serde_json::Value;

use super::Method;
use super::json::text;
use crate::Code;
use crate::rustdoc::rustdoc;
use crate::source::{Report, join};

/// A server: a URL of a single variable, which clients and services set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Server {
    /// The variable's name, such as `base_url`.
    pub(crate) variable: String,
    pub(crate) default: String,
    pub(crate) description: String,
    /// The pointer of its variable in the document.
    pub(crate) at: String,
}

impl Server {
    /// Its URL, if a request can be sent to it: a relative one belongs to the place of the document.
    pub(crate) fn url(&self) -> Option<&str> {
        let absolute = self.default.starts_with("https://") || self.default.starts_with("http://");
        let odd = |c: char| c.is_whitespace() || "{}?#@".contains(c);
        (absolute && !self.default.contains(odd)).then_some(self.default.as_str())
    }

    /// Description, or the name of the variable.
    pub(crate) fn paragraph(&self) -> String {
        match self.description.trim() {
            "" => format!("`{}`", self.variable),
            description => rustdoc(description),
        }
    }
}

/// The document's server first, then those of paths and of operations.
pub(super) fn read_all(root: &Value, report: &mut Report<'_>) -> Vec<Server> {
    let mut servers: Vec<Server> = read_one(root, "", report).into_iter().collect();
    for (path, item) in root["paths"].as_object().into_iter().flatten() {
        let at = join("/paths", path);
        let members = item.as_object().into_iter().flatten();
        let operations = members.filter(|(key, _)| Method::of_key(key).is_some());
        let operations = operations.map(|(key, operation)| (operation, join(&at, key)));
        for (holder, at) in std::iter::once((item, at.clone())).chain(operations) {
            if holder.get("servers").is_some()
                && let Some(server) = read_one(holder, &at, report)
                && !servers.iter().any(|known| known.variable == server.variable)
            {
                servers.push(server);
            }
        }
    }
    servers
}

/// The variable of the own server of an operation or a path, if it has one.
pub(super) fn variable_of(holder: &Value) -> Option<String> {
    let url = holder.pointer("/servers/0/url")?.as_str()?;
    Some(url.trim_start_matches('{').trim_end_matches('}').to_owned())
}

fn read_one(value: &Value, at: &str, report: &mut Report<'_>) -> Option<Server> {
    let at = format!("{at}/servers");
    let [server] = value["servers"].as_array().map(Vec::as_slice).unwrap_or_default() else {
        let help = "list one server; paths and operations with another URL need a server with another variable";
        report.error(Code::OneServer, &at, "exactly one server is required here", help);
        return None;
    };
    let url = text(server, "/url");
    let variable = url
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
        .unwrap_or_default();
    let Some(details) = server["variables"].get(variable) else {
        report.value_error(
            Code::ServerUrl,
            &format!("{at}/0/url"),
            format!("the server `{url}` is not one declared variable"),
            "write `url: \"{base_url}\"` and declare `base_url` under `variables`",
        );
        report.unless_rejected(&format!("{at}/0/variables"));
        return None;
    };
    Some(Server {
        variable: variable.to_owned(),
        default: text(details, "/default"),
        description: text(details, "/description"),
        at: join(&format!("{at}/0/variables"), variable),
    })
}
