//! The stream that stores the messages of a topic in JetStream.

use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::Context;
use async_nats::jetstream::context::ContextBuilder;
use async_nats::jetstream::stream::{Config, StorageType, Stream};
use wirelab_peer::{Fault, Setup};

use crate::connection::fault;

/// Longer than any trial: acknowledgements never time out.
const NO_TIMEOUT: Duration = Duration::from_hours(24);

/// The stream of the topic; created if it does not exist.
///
/// # Errors
/// A fatal fault that names the server or the option.
pub async fn open(setup: &Setup, client: &Client) -> Result<(Context, Stream), Fault> {
    let storages = [("file", StorageType::File), ("memory", StorageType::Memory)];
    let storage = setup.options.one_of("storage", storages)?;
    let context = ContextBuilder::new()
        .timeout(NO_TIMEOUT)
        .ack_timeout(NO_TIMEOUT)
        .max_ack_inflight(setup.options.parse("inflight")?)
        .build(client.clone());
    let config = Config {
        name: plain(&setup.topic),
        subjects: vec![setup.topic.clone()],
        storage,
        ..Config::default()
    };
    let stream = context
        .get_or_create_stream(config)
        .await
        .map_err(|error| fault(setup, "create a stream", error))?;
    Ok((context, stream))
}

/// A name without separators, as streams and consumers require.
pub fn plain(name: &str) -> String {
    name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}
