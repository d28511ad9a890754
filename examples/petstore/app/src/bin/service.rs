//! Serves the petstore: `cargo run --bin service -- 127.0.0.1:8080`. The key is `secret`.

use std::error::Error;
use std::sync::Arc;

use petstore_app::Petstore;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, petstore_server::router(Arc::new(Petstore::new("secret")))).await?;
    Ok(())
}
