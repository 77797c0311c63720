//! A server that serves a generated list, and the official client that reads it, in one process.

use std::sync::{Arc, Mutex};

use rmcp::model::{ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};

/// Serves the tools of a list, and nothing else.
struct Stub {
    tools: Vec<Tool>,
}

impl ServerHandler for Stub {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }
}

/// What a client saw of a list.
pub(crate) struct Listing {
    /// The tools, as the client understood them.
    pub(crate) tools: Vec<Value>,
    /// The length of the JSON-RPC answer to `tools/list` on the wire, in bytes, without its newline.
    pub(crate) answer: usize,
}

/// Lets the client list the tools of `list` through an in-memory transport.
///
/// # Errors
///
/// What the client or the server could not read.
pub(crate) fn list_tools(list: &Value) -> Result<Listing, String> {
    let tools = serde_json::from_value(list["tools"].clone()).map_err(|error| error.to_string())?;
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?
        .block_on(converse(Stub { tools }))
}

/// Connects a client and lists.
async fn converse(stub: Stub) -> Result<Listing, String> {
    let (server_end, relay_to_server) = duplex(1 << 16);
    let (client_end, relay_to_client) = duplex(1 << 16);
    let answers = Arc::new(Mutex::new(Vec::new()));
    tokio::spawn(relay(relay_to_server, relay_to_client, Arc::clone(&answers)));
    tokio::spawn(async move {
        let service = stub.serve(server_end).await.expect("the server starts");
        service.waiting().await
    });
    let client = ().serve(client_end).await.map_err(|error| error.to_string())?;
    let tools = client.list_all_tools().await.map_err(|error| error.to_string())?;
    client.cancel().await.map_err(|error| error.to_string())?;
    let tools = tools.iter().map(serde_json::to_value).collect::<Result<_, _>>();
    let answers = answers.lock().map_err(|error| error.to_string())?;
    let is_list = |line: &&Vec<u8>| {
        serde_json::from_slice::<Value>(line).is_ok_and(|answer| answer["result"]["tools"].is_array())
    };
    let answer = answers.iter().find(is_list).ok_or("there was no answer to tools/list")?.len();
    Ok(Listing { tools: tools.map_err(|error| error.to_string())?, answer })
}

/// Passes everything on between the two ends, and keeps what the server said, by line.
async fn relay(server: DuplexStream, client: DuplexStream, answers: Arc<Mutex<Vec<Vec<u8>>>>) {
    let (from_server, mut to_server) = tokio::io::split(server);
    let (mut from_client, mut to_client) = tokio::io::split(client);
    tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
    let mut from_server = BufReader::new(from_server);
    let mut line = Vec::new();
    while from_server.read_until(b'\n', &mut line).await.is_ok_and(|length| length > 0) {
        if to_client.write_all(&line).await.is_err() {
            return;
        }
        answers.lock().expect("nobody panicked with it").push(line.trim_ascii_end().to_vec());
        line.clear();
    }
}
