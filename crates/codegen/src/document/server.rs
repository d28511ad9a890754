//! Servers: the URLs of the interface.

use serde_json::Value;

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
    /// Description, or the name of the variable.
    pub(crate) fn paragraph(&self) -> String {
        match self.description.trim() {
            "" => format!("`{}`", self.variable),
            description => rustdoc(description),
        }
    }
}

/// The document's server first, then those of paths.
pub(super) fn read_all(root: &Value, report: &mut Report<'_>) -> Vec<Server> {
    let mut servers: Vec<Server> = read_one(root, "", report).into_iter().collect();
    for (path, item) in root["paths"].as_object().into_iter().flatten() {
        if item.get("servers").is_some()
            && let Some(server) = read_one(item, &join("/paths", path), report)
            && !servers.iter().any(|known| known.variable == server.variable)
        {
            servers.push(server);
        }
    }
    servers
}

/// The variable of a path's own server, if it has one.
pub(super) fn variable_of(item: &Value) -> Option<String> {
    let url = item.pointer("/servers/0/url")?.as_str()?;
    Some(url.trim_start_matches('{').trim_end_matches('}').to_owned())
}

fn read_one(value: &Value, at: &str, report: &mut Report<'_>) -> Option<Server> {
    let at = format!("{at}/servers");
    let [server] = value["servers"].as_array().map(Vec::as_slice).unwrap_or_default() else {
        let help = "list one server; paths with another URL need a server with another variable";
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
