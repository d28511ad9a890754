//! Handler of the protocol.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool as Listed, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use wearlab_kit_cli::{Commands, Service};
use wearlab_kit_client::codegen::Method;

use crate::selection::{Selection, is_read};
use crate::tools::{Tool, Tools};
use crate::{reply, schema};

/// An MCP server: the operations of a document as tools, called at a service.
pub struct Server<T: Tools> {
    shared: Arc<Shared<T>>,
}

struct Shared<T: Tools> {
    service: Service<T::Commands>,
    selection: Selection,
    /// The tools that are offered, as they are listed.
    listed: Vec<Listed>,
    max_result_bytes: usize,
}

impl<T: Tools> Clone for Server<T> {
    fn clone(&self) -> Self {
        Self {
            shared: self.shared.clone(),
        }
    }
}

impl<T: Tools> Server<T> {
    /// Creates a server. Of the selected tools, it lists those whose credentials the service has.
    pub(crate) fn new(service: Service<T::Commands>, selection: Selection, max_result_bytes: usize) -> Self {
        let offered = T::TOOLS
            .iter()
            .filter(|tool| selection.refusal(tool).is_none() && service.check_credentials(tool.operation).is_ok());
        let listed = offered.map(|tool| listed::<T>(tool)).collect();
        Self {
            shared: Arc::new(Shared {
                service,
                selection,
                listed,
                max_result_bytes,
            }),
        }
    }

    /// Returns whether it lists no tool.
    pub(crate) fn is_empty(&self) -> bool {
        self.shared.listed.is_empty()
    }

    async fn call(&self, tool: &Tool<T::Commands>, request: CallToolRequestParams) -> CallToolResult {
        let shared = &self.shared;
        if let Some(refusal) = shared.selection.refusal(tool) {
            return reply::refusal(&refusal);
        }
        let arguments = request.arguments.unwrap_or_default();
        match shared.service.call(tool.operation, &arguments).await {
            Ok(body) => reply::success(&body, shared.max_result_bytes),
            Err(failure) => reply::failure(&failure, shared.max_result_bytes),
        }
    }
}

impl<T: Tools> ServerHandler for Server<T> {
    fn get_info(&self) -> ServerConfig {
        let name = Implementation::new(T::Commands::NAME, T::VERSION).with_title(T::TITLE);
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let instructions = instructions::<T>(&self.shared.selection, self.shared.max_result_bytes);
        ServerConfig::new(capabilities)
            .with_server_info(name)
            .with_instructions(instructions)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.shared.listed.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Listed> {
        self.shared.listed.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = T::TOOLS.iter().find(|tool| tool.name == request.name) else {
            return Err(ErrorData::invalid_params(
                format!("unknown tool: {}", request.name),
                None,
            ));
        };
        tokio::select! {
            result = self.call(tool, request) => Ok(result.into()),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
        }
    }
}

/// A tool as it is listed.
fn listed<T: Tools>(tool: &Tool<T::Commands>) -> Listed {
    let operation = tool.operation;
    let arguments = schema::arguments(tool, T::SCHEMAS);
    Listed::new(tool.name, operation.details, arguments)
        .with_title(operation.about)
        .with_annotations(annotations(&operation.endpoint.method))
}

/// The hints of a method. A POST may create, change or delete: nothing is said of it, and clients expect the worst.
fn annotations(method: &Method) -> ToolAnnotations {
    let read = is_read(method);
    let hints = ToolAnnotations::new()
        .read_only(read)
        .idempotent(method.is_idempotent());
    match *method {
        _ if read => hints.destructive(false),
        Method::PUT | Method::PATCH | Method::DELETE => hints.destructive(true),
        _ => hints,
    }
}

/// The text for the model about the tools as a whole.
fn instructions<T: Tools>(selection: &Selection, max_result_bytes: usize) -> String {
    let mut words = vec![format!("The tools are operations of {}.", T::TITLE)];
    if !selection.writes {
        words.push("Only those that read are offered.".to_owned());
    }
    if !selection.tags.is_empty() {
        words.push(format!("Only those of some tags are: {}.", selection.tags.join(", ")));
    }
    words.push(format!("Results longer than {max_result_bytes} bytes are cut."));
    if !T::LEFT_OUT.is_empty() {
        words.push(format!(
            "Operations that upload or stream bytes are not tools: {}.",
            T::LEFT_OUT.join(", ")
        ));
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use wearlab_kit_client::codegen::Method;

    use super::annotations;

    #[test]
    fn hints_follow_from_the_method() {
        for (method, read_only, destructive, idempotent) in [
            (Method::GET, true, Some(false), true),
            (Method::HEAD, true, Some(false), true),
            (Method::POST, false, None, false),
            (Method::PUT, false, Some(true), true),
            (Method::PATCH, false, Some(true), false),
            (Method::DELETE, false, Some(true), true),
        ] {
            let hints = annotations(&method);
            assert_eq!(hints.read_only_hint, Some(read_only), "{method}");
            assert_eq!(hints.destructive_hint, destructive, "{method}");
            assert_eq!(hints.idempotent_hint, Some(idempotent), "{method}");
        }
    }
}
