//! The addresses that the interface is served at.

use serde_json::Value;

use super::text;
use crate::Code;
use crate::rustdoc::rustdoc;
use crate::source::{Report, join};

/// An address: a single variable, so that clients and services fill it in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Server {
    /// The variable's name, such as `base_url`.
    pub(crate) variable: String,
    pub(crate) default: String,
    pub(crate) description: String,
    /// Its variable's place in the document.
    pub(crate) at: String,
}

impl Server {
    /// What the document says of it, or its variable's name.
    pub(crate) fn paragraph(&self) -> String {
        match self.description.trim() {
            "" => format!("`{}`", self.variable),
            description => rustdoc(description),
        }
    }
}

/// The document's server first, then each other one that a path names.
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

/// The variable that a path's own server names, if it has one.
pub(super) fn variable_of(item: &Value) -> Option<String> {
    let url = item.pointer("/servers/0/url")?.as_str()?;
    Some(url.trim_start_matches('{').trim_end_matches('}').to_owned())
}

fn read_one(value: &Value, at: &str, report: &mut Report<'_>) -> Option<Server> {
    let at = format!("{at}/servers");
    let [server] = value["servers"].as_array().map(Vec::as_slice).unwrap_or_default() else {
        let help = "list one server; another address is another variable, on the paths that are answered there";
        report.error(Code::OneServer, &at, "there must be exactly one server here", help);
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
        report.unless_refused(&format!("{at}/0/variables"));
        return None;
    };
    Some(Server {
        variable: variable.to_owned(),
        default: text(details, "/default"),
        description: text(details, "/description"),
        at: join(&format!("{at}/0/variables"), variable),
    })
}
