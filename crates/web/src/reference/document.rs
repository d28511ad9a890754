//! OpenAPI document for the pages: requests, responses and events, with references resolved.

use serde_json::Value;
use wearlab_server::OPENAPI_JSON;

/// Parsed document.
pub(super) struct Document {
    root: Value,
}

/// Operation, or event with the body of its delivery.
pub(super) struct Operation<'a> {
    pub(super) document: &'a Document,
    pub(super) method: &'a str,
    /// Path of an operation, with parameters in braces, or the type of an event.
    pub(super) path: &'a str,
    value: &'a Value,
}

/// Parameter of an operation.
#[derive(Clone, Copy)]
pub(super) struct Parameter<'a> {
    pub(super) name: &'a str,
    /// `path`, `query` or `header`.
    pub(super) location: &'a str,
    pub(super) required: bool,
    pub(super) schema: &'a Value,
    pub(super) value: &'a Value,
}

/// Body: media type, schema and example.
#[derive(Clone, Copy)]
pub(super) struct Content<'a> {
    pub(super) media_type: &'a str,
    pub(super) schema: &'a Value,
    /// Example of the body, if the document has one.
    pub(super) example: Option<&'a Value>,
}

/// Credential of an operation.
#[derive(Clone, Copy)]
pub(super) struct Credential<'a> {
    /// Name of the security scheme.
    pub(super) scheme: &'a str,
    /// Header that carries it.
    pub(super) header: &'a str,
    pub(super) value: &'a Value,
    pub(super) scopes: &'a Value,
}

impl Document {
    /// Parses the document with the header prefix of this service.
    pub(super) fn new(with_prefix: impl Fn(&str) -> String) -> Self {
        let root = serde_json::from_str(&with_prefix(OPENAPI_JSON));
        Self {
            root: root.unwrap_or_default(),
        }
    }

    /// Returns the value at a JSON pointer, or null.
    pub(super) fn at(&self, pointer: &str) -> &Value {
        self.root.pointer(pointer).unwrap_or(&Value::Null)
    }

    /// Returns the target of a reference; any other value is returned itself.
    pub(super) fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) {
            Some(pointer) => self.resolve(self.at(pointer)),
            None => value,
        }
    }

    /// Returns the members of an object.
    pub(super) fn members<'a>(&'a self, pointer: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
        members(self.at(pointer))
    }

    /// Returns the tags that have operations, with their descriptions.
    pub(super) fn tags(&self) -> impl Iterator<Item = (&str, &str)> {
        let tags = self.at("/tags").as_array().into_iter().flatten();
        tags.map(|tag| (text(tag, "name"), text(tag, "description")))
    }

    /// Returns the operations, in the order of the document.
    pub(super) fn operations(&self) -> impl Iterator<Item = Operation<'_>> {
        self.members("/paths").flat_map(move |(path, item)| {
            members(item)
                .filter(|(_, value)| value["operationId"].is_string())
                .map(move |(method, value)| Operation {
                    document: self,
                    method,
                    path,
                    value,
                })
        })
    }

    /// Returns the events, in the order of the document.
    pub(super) fn events(&self) -> impl Iterator<Item = Operation<'_>> {
        self.members("/webhooks").filter_map(move |(_, item)| {
            let value = &self.resolve(item)["post"];
            Some(Operation {
                document: self,
                method: "post",
                path: value["x-event-type"].as_str()?,
                value,
            })
        })
    }

    /// Returns the example of a schema: its own first one.
    fn example<'a>(&'a self, schema: &'a Value) -> Option<&'a Value> {
        self.resolve(schema)["examples"].get(0)
    }

    /// Returns the bodies of a request or a response.
    pub(super) fn contents<'a>(&'a self, value: &'a Value) -> impl Iterator<Item = Content<'a>> {
        members(&value["content"]).map(|(media_type, content)| {
            let schema = &content["schema"];
            Content {
                media_type,
                schema,
                example: content.get("example").or_else(|| self.example(schema)),
            }
        })
    }
}

impl<'a> Operation<'a> {
    pub(super) fn id(&self) -> &'a str {
        text(self.value, "operationId")
    }

    pub(super) fn summary(&self) -> &'a str {
        text(self.value, "summary")
    }

    pub(super) fn description(&self) -> &'a str {
        text(self.value, "description")
    }

    pub(super) fn tag(&self) -> &'a str {
        self.value["tags"][0].as_str().unwrap_or_default()
    }

    /// Returns the object of the document, which may be marked as deprecated.
    pub(super) fn value(&self) -> &'a Value {
        self.value
    }

    pub(super) fn is_deprecated(&self) -> bool {
        self.value["deprecated"] == true
    }

    /// Returns whether it belongs to the management API, which may have a listener of its own.
    pub(super) fn is_management(&self) -> bool {
        self.path.starts_with("/v1/")
    }

    /// Returns the parameters, those of the path first.
    pub(super) fn parameters(&self) -> Vec<Parameter<'a>> {
        let listed = self.value["parameters"].as_array().into_iter().flatten();
        listed
            .map(|parameter| {
                let value = self.document.resolve(parameter);
                Parameter {
                    name: text(value, "name"),
                    location: text(value, "in"),
                    required: value["required"] == true,
                    schema: &value["schema"],
                    value,
                }
            })
            .collect()
    }

    pub(super) fn body(&self) -> Option<(Content<'a>, &'a str)> {
        let body = self.value.get("requestBody")?;
        let content = self.document.contents(body).next()?;
        Some((content, text(body, "description")))
    }

    /// Returns whether a request must have a body.
    pub(super) fn requires_body(&self) -> bool {
        self.value["requestBody"]["required"] == true
    }

    /// Returns the responses: status and object.
    pub(super) fn responses(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let document = self.document;
        members(&self.value["responses"]).map(|(status, response)| (status, document.resolve(response)))
    }

    /// Returns the responses of success.
    pub(super) fn successes(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        self.responses().filter(|(status, _)| status.starts_with('2'))
    }

    /// Returns the alternatives of credentials, each of which suffices.
    pub(super) fn credentials(&self) -> Vec<Vec<Credential<'a>>> {
        let document = self.document;
        let alternatives = self.value["security"].as_array().into_iter().flatten();
        alternatives
            .map(|alternative| {
                members(alternative)
                    .map(|(scheme, scopes)| document.credential(scheme, scopes))
                    .collect()
            })
            .collect()
    }
}

impl Document {
    fn credential<'a>(&'a self, scheme: &'a str, scopes: &'a Value) -> Credential<'a> {
        let value = &self.at("/components/securitySchemes")[scheme];
        Credential {
            scheme,
            header: text(value, "name"),
            value,
            scopes,
        }
    }

    /// Returns all credentials.
    pub(super) fn credentials(&self) -> impl Iterator<Item = Credential<'_>> {
        let schemes = self.members("/components/securitySchemes");
        schemes.map(|(scheme, _)| self.credential(scheme, &Value::Null))
    }
}

impl Credential<'_> {
    /// Returns the environment variable of the credential, for the client, the command line and the code samples.
    pub(super) fn variable(&self) -> String {
        let name = self.value["x-short-name"].as_str().unwrap_or(self.scheme);
        let mut variable = "WEARLAB_".to_owned();
        for letter in name.chars() {
            if letter.is_ascii_uppercase() {
                variable.push('_');
            }
            variable.push(letter.to_ascii_uppercase());
        }
        variable
    }
}

/// Returns the members of an object; none of any other value.
pub(super) fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = value.as_object().into_iter().flatten();
    members.map(|(name, value)| (name.as_str(), value))
}

/// Returns a text member, or an empty text.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Document, OPENAPI_JSON};

    #[test]
    fn everything_in_the_document_is_found() {
        let document = Document::new(str::to_owned);
        let ids = OPENAPI_JSON.matches("\"operationId\":").count();
        let events = document.events().count();
        assert!(events > 0 && document.operations().count() + events == ids, "of {ids}");
        let variables: Vec<_> = document.credentials().map(|credential| credential.variable()).collect();
        assert_eq!(
            variables,
            ["WEARLAB_API_KEY", "WEARLAB_LINK_TOKEN", "WEARLAB_MANAGEMENT_KEY"]
        );
        for operation in document.operations() {
            let id = operation.id();
            assert!(!operation.summary().is_empty() && !operation.tag().is_empty(), "{id}");
            assert!(operation.successes().next().is_some(), "{id}");
            assert!(
                operation
                    .credentials()
                    .iter()
                    .flatten()
                    .all(|one| !one.header.is_empty()),
                "{id}"
            );
            for parameter in operation.parameters() {
                assert!(!parameter.name.is_empty() && parameter.schema.is_object(), "{id}");
            }
        }
    }
}
