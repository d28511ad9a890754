//! The files of the crates that are not generated from the document: manifests, roots and READMEs.

use wearlab_codegen::GeneratedFile;

use super::choice::Choice;
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

/// The types of large documents contain each other in long chains, which the compiler follows for `Send` and its like.
const RECURSION_LIMIT: &str = "#![recursion_limit = \"512\"]\n";

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

/// The files of the chosen crates, by their paths in the workspace.
pub(super) fn files(names: &Names, choice: &Choice) -> Vec<(String, String)> {
    let files = chosen(choice).flat_map(|member| {
        let (name, package) = (member.name, names.package(member.name));
        let description = format!("{} {}", member.description, names.title());
        let named = |text: &str| names.apply(text);
        let manifest = format!(
            "[package]\nname = \"{package}\"\ndescription = \"{description}\"\nversion.workspace = true\n\
             edition.workspace = true\nrust-version.workspace = true\nreadme = \"README.md\"\n{}",
            named(member.manifest)
        );
        let root = format!("//! {description}.\n\n{RECURSION_LIMIT}{}", named(member.root));
        let readme = format!("# {package}\n\n{description}. `src/generated` comes from the OpenAPI document.\n");
        [
            (format!("crates/{name}/Cargo.toml"), manifest),
            (format!("crates/{name}/src/lib.rs"), root),
            (format!("crates/{name}/README.md"), readme),
        ]
    });
    files.collect()
}

fn chosen(choice: &Choice) -> impl Iterator<Item = &'static Crate> {
    CRATES.iter().filter(|member| choice.has(member.name))
}

/// The README of the workspace, with a first call.
pub(super) fn readme(names: &Names, generated: &[GeneratedFile], choice: &Choice) -> String {
    let crates = chosen(choice).map(|member| {
        let package = names.package(member.name);
        format!("| `{package}` | {} {} |\n", member.description, names.title())
    });
    let crates: String = crates.collect();
    let call = first_call(generated).map_or_else(String::new, |call| names.apply(&FIRST_CALL.replace("CALL", &call)));
    let mut call = call.replace("PREFIX", &names.prefix());
    if !call.is_empty() && choice.has("cli") {
        call += &names.apply("\nThe same on the command line is a command of `NAME-cli`.\n");
    }
    if choice.has("server") {
        call += &names.apply("\nA server implements the traits of `NAME-server`.\n");
    }
    format!(
        "# {}\n\nGenerated from its OpenAPI document.\n\n| crate | content |\n|---|---|\n{crates}{call}",
        names.title()
    )
}

const FIRST_CALL: &str = "
A first call, in a crate that depends on `NAME-client` and on `tokio`:

```rust
use NAME_client::{Client, Error};

#[tokio::main]
async fn main() -> Result<(), Error> {
    // PREFIX_BASE_URL and the variables of credentials; or `Client::builder()`.
    let client = Client::from_env()?;
    client.CALL.send().await?;
    Ok(())
}
```
";

/// A call of the client: without arguments, if there is one.
fn first_call(generated: &[GeneratedFile]) -> Option<String> {
    let client = generated
        .iter()
        .filter(|file| file.path.starts_with("crates/client/src/generated/"));
    let methods: Vec<_> = client.flat_map(|file| file.text.split("    pub fn ").skip(1)).collect();
    let calls = methods.iter().filter_map(|method| {
        let (name, rest) = method.split_once('(')?;
        let (arguments, result) = rest.split_once(") -> ")?;
        let is_call = arguments.trim_start().starts_with("&self") && result.split_once('{')?.0.contains("<'_>");
        let arguments: Vec<_> = arguments
            .split(": ")
            .map(|before| before.rsplit([',', '(']).next().unwrap_or("").trim())
            .collect();
        let arguments = &arguments[..arguments.len() - 1];
        is_call.then(|| format!("{name}({})", arguments.join(", ")))
    });
    let calls: Vec<_> = calls.collect();
    calls
        .iter()
        .find(|call| call.ends_with("()"))
        .or(calls.first())
        .cloned()
}

#[cfg(test)]
mod tests {
    use wearlab_codegen::GeneratedFile;

    use super::{files, readme};
    use crate::workspace::choice::Choice;
    use crate::workspace::names::Names;

    #[test]
    fn names_are_those_of_the_service() {
        let files = files(&Names::new("Train Travel API", None).expect("names"), &Choice::all());
        let text = |path: &str| {
            let found = files.iter().find(|(known, _)| known == path);
            found.map(|(_, text)| text.as_str()).expect("a file")
        };
        assert!(text("crates/client/Cargo.toml").contains("\ntrain-travel-models.workspace = true\n"));
        assert!(text("crates/cli/src/lib.rs").contains("use train_travel_client as client;"));
        assert!(
            text("crates/server/src/lib.rs")
                .starts_with("//! Traits to implement, and the router of Train Travel API.\n\n#![recursion_limit")
        );
        assert!(files.iter().all(|(_, text)| !text.contains("NAME")));
    }

    #[test]
    fn the_readme_has_a_call_of_the_document() {
        let names = Names::new("Pets", None).expect("names");
        let shown = |methods: &str| {
            let file = GeneratedFile {
                path: "crates/client/src/generated/pets.rs".to_owned(),
                text: format!("impl Client {{\n{methods}}}\n"),
            };
            readme(&names, &[file], &Choice::all())
        };
        let get = "    pub fn get_pet(&self, pet_id: impl Into<String>, at: Uuid) -> GetPet<'_> {}\n";
        let list = "    pub fn list_pets(&self) -> ListPets<'_> {}\n";
        assert!(
            shown(get).contains("client.get_pet(pet_id, at).send()"),
            "{}",
            shown(get)
        );
        let both = shown(&format!("{get}{list}"));
        assert!(both.contains("client.list_pets().send()"), "{both}");
        assert!(
            both.contains("use pets_client::{Client, Error};") && both.contains("PETS_BASE_URL"),
            "{both}"
        );
    }
}
