//! The tools that a server offers.

use wearlab_kit_cli::Commands;
use wearlab_kit_client::codegen::Method;

use crate::tools::Tool;

/// The tools that a server offers: reads, unless writes are allowed, of some tags or of all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// True if tools that change data are offered.
    pub(crate) writes: bool,
    /// The tags of the tools; if empty, all.
    pub(crate) tags: Vec<String>,
}

impl Selection {
    /// The reason why a tool is not offered, if it is not.
    pub(crate) fn refusal<C: Commands>(&self, tool: &Tool<C>) -> Option<String> {
        let Tool { name, tag, .. } = tool;
        if !self.writes && !is_read(&tool.operation.endpoint.method) {
            return Some(format!(
                "{name} changes data, and this server only reads: start it with --allow-writes"
            ));
        }
        if !self.tags.is_empty() && !self.tags.iter().any(|selected| selected == tag) {
            return Some(format!("{name} is not selected: start the server with --tag {tag}"));
        }
        None
    }
}

/// Returns whether requests of a method change nothing.
pub(crate) fn is_read(method: &Method) -> bool {
    method.is_safe()
}
