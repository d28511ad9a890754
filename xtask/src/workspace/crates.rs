//! The files of the crates that are not generated from the document: manifests, roots and READMEs.

use super::names::Names;

/// A crate of the workspace.
struct Crate {
    /// Its directory, and the end of its name.
    name: &'static str,
    description: &'static str,
    /// The rest of its manifest, behind the package.
    manifest: &'static str,
    /// Its root, behind the documentation.
    root: &'static str,
}

const CRATES: [Crate; 6] = [
    Crate {
        name: "models",
        description: "The types of",
        manifest: r#"
[features]
# Builders for every struct: for servers, and tests. Bodies of requests have constructors without it.
builder = ["dep:bon", "wearlab-kit-types/builder"]
# Reading bodies of several parts.
multipart = ["wearlab-kit-types/multipart"]
# `schemars::JsonSchema` for every type.
schemars = ["dep:schemars", "wearlab-kit-types/schemars"]

[dependencies]
bon = { workspace = true, optional = true }
schemars = { workspace = true, optional = true }
serde.workspace = true
wearlab-kit-types.workspace = true
"#,
        root: r#"
#[rustfmt::skip]
#[allow(
    deprecated,
    clippy::allow_attributes,
    clippy::should_implement_trait,
    clippy::too_many_arguments,
    reason = "deprecated fields are still read and written, and the document names fields and requires them"
)]
mod generated;

use generated::codegen;
pub use generated::*;
pub use wearlab_kit_types::codegen::exports::*;
"#,
    },
    Crate {
        name: "client",
        description: "A client of",
        manifest: r#"
[features]
default = ["rustls"]
# TLS by rustls, which is built with the client.
rustls = ["wearlab-kit-client/rustls"]
# TLS by the system's own library.
native-tls = ["wearlab-kit-client/native-tls"]

[dependencies]
NAME-models.workspace = true
wearlab-kit-client.workspace = true
"#,
        root: r#"
#[rustfmt::skip]
#[allow(
    deprecated,
    clippy::allow_attributes,
    clippy::too_many_arguments,
    reason = "what is deprecated can still be called, and the document decides how much is required"
)]
mod generated;

use generated::codegen;
pub use generated::*;
pub use NAME_models as models;
pub use wearlab_kit_client::codegen::exports::*;
"#,
    },
    Crate {
        name: "server",
        description: "Traits to implement, and the router of",
        manifest: r#"
[dependencies]
NAME-models = { workspace = true, features = ["builder", "multipart"] }
wearlab-kit-server.workspace = true
"#,
        root: r#"
#[rustfmt::skip]
#[allow(deprecated, clippy::allow_attributes, reason = "what is deprecated is still served")]
mod generated;

use generated::codegen;
pub use generated::*;
pub use NAME_models as models;
pub use wearlab_kit_server::codegen::exports::*;
"#,
    },
    Crate {
        name: "cli",
        description: "A command for each operation of",
        manifest: r#"
[dependencies]
NAME-client = { workspace = true, features = ["rustls"] }
wearlab-kit-cli.workspace = true
"#,
        root: r#"
#[rustfmt::skip]
#[allow(deprecated, clippy::allow_attributes, reason = "deprecated operations can still be called")]
mod generated;

use NAME_client as client;
use generated::codegen;
pub use generated::{Options, ThisDocument, is_variable, operations};
pub use wearlab_kit_cli::{Completions, USAGE};
"#,
    },
    Crate {
        name: "mcp",
        description: "An MCP server with a tool for each operation of",
        manifest: r#"
[dependencies]
NAME-cli.workspace = true
wearlab-kit-mcp.workspace = true
"#,
        root: r#"
#[rustfmt::skip]
mod generated;

use NAME_cli as cli;
use generated::codegen;
pub use generated::{Options, Server, ThisDocument};
"#,
    },
    Crate {
        name: "mock",
        description: "Mocks, for tests of code that calls",
        manifest: r#"
[dependencies]
NAME-models = { workspace = true, features = ["builder", "multipart"] }
wearlab-kit-mock.workspace = true
"#,
        root: r#"
#[rustfmt::skip]
#[allow(deprecated, clippy::allow_attributes, reason = "what is deprecated can still be mocked")]
mod generated;

use generated::codegen;
pub use generated::*;
pub use NAME_models as models;
pub use wearlab_kit_mock::{Mock, MockServer, Operation, Then, wiremock};
"#,
    },
];

/// The files of all crates, by their paths in the workspace.
pub(super) fn files(names: &Names) -> Vec<(String, String)> {
    let files = CRATES.iter().flat_map(|member| {
        let (name, package) = (member.name, names.package(member.name));
        let description = format!("{} {}", member.description, names.title());
        let named = |text: &str| names.apply(text);
        let manifest = format!(
            "[package]\nname = \"{package}\"\ndescription = \"{description}\"\nversion.workspace = true\n\
             edition.workspace = true\nrust-version.workspace = true\nreadme = \"README.md\"\n{}",
            named(member.manifest)
        );
        let root = format!("//! {description}.\n{}", named(member.root));
        let readme = format!("# {package}\n\n{description}. `src/generated` comes from the OpenAPI document.\n");
        [
            (format!("crates/{name}/Cargo.toml"), manifest),
            (format!("crates/{name}/src/lib.rs"), root),
            (format!("crates/{name}/README.md"), readme),
        ]
    });
    files.collect()
}

#[cfg(test)]
mod tests {
    use super::files;
    use crate::workspace::names::Names;

    #[test]
    fn names_are_those_of_the_service() {
        let files = files(&Names::new("Train Travel API", None).expect("names"));
        let text = |path: &str| {
            let found = files.iter().find(|(known, _)| known == path);
            found.map(|(_, text)| text.as_str()).expect("a file")
        };
        assert!(text("crates/client/Cargo.toml").contains("\ntrain-travel-models.workspace = true\n"));
        assert!(text("crates/cli/src/lib.rs").contains("use train_travel_client as client;"));
        assert!(
            text("crates/server/src/lib.rs")
                .starts_with("//! Traits to implement, and the router of Train Travel API.")
        );
        assert!(files.iter().all(|(_, text)| !text.contains("NAME")));
    }
}
