//! Security schemes: `basic`, and the flows of `oauth2`.

use serde_json::{Map, Value, json};

use super::conversion::Conversion;
use crate::source::join;

impl Conversion {
    pub(super) fn security_scheme(&mut self, members: &mut Map<String, Value>, old: &str, new: &str) {
        match members.get("type").and_then(Value::as_str) {
            Some("basic") => {
                members.insert("type".to_owned(), json!("http"));
                members.insert("scheme".to_owned(), json!("basic"));
            }
            Some("oauth2") => {
                let flows = self.flows(members, old, new);
                members.insert("flows".to_owned(), flows);
            }
            _ => {}
        }
    }

    /// Takes the one flow of a scheme.
    fn flows(&mut self, members: &mut Map<String, Value>, old: &str, new: &str) -> Value {
        let flow = members.shift_remove("flow");
        let mut details = Map::new();
        for key in ["authorizationUrl", "tokenUrl", "scopes"] {
            details.extend(members.shift_remove_entry(key));
        }
        details.entry("scopes").or_insert_with(|| json!({}));
        let name = match flow.as_ref().and_then(Value::as_str) {
            Some("implicit") => "implicit",
            Some("password") => "password",
            Some("application") => "clientCredentials",
            Some("accessCode") => "authorizationCode",
            _ => {
                self.note(
                    old,
                    "the flow of this scheme is unknown",
                    "its token is sent as `Bearer`",
                );
                return json!({});
            }
        };
        let flows = join(new, "flows");
        self.moved(&flows, old);
        self.moved(&join(&flows, name), old);
        json!({ name: details })
    }
}
