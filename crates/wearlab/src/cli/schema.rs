//! `wearlab schema`: prints the JSON Schema of the lines that commands read.

use anyhow::Result;
use schemars::Schema;
use wearlab_intake::import::OPTIONAL;
use wearlab_store::{Arrival, Record};

use super::output::print_line;

/// Format of the lines.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    /// Line of `wearlab import`.
    Import,
    /// Line of `wearlab ingest`.
    Ingest,
}

pub(super) fn run(command: Command) -> Result<()> {
    let schema = match command {
        Command::Import => optional(schemars::schema_for!(Record)),
        Command::Ingest => schemars::schema_for!(Arrival),
    };
    print_line(serde_json::to_string_pretty(&schema)?)
}

/// Removes from `required` the fields that a record may omit.
fn optional(mut schema: Schema) -> Schema {
    let mut kinds = schema.pointer_mut("/$defs").and_then(|kinds| kinds.as_object_mut());
    for (kind, field) in OPTIONAL {
        let kind = kinds.as_mut().and_then(|kinds| {
            let (_, schema) = kinds.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(kind))?;
            schema.get_mut("required")?.as_array_mut()
        });
        if let Some(required) = kind {
            required.retain(|name| name != field);
        }
    }
    schema
}
