//! The handshake between a client and a relay: one line of JSON, answered by one line.

use serde::{Deserialize, Serialize};
use wirelab_peer::{Fault, Setup};

/// Maximum length of a hello in bytes.
pub const MAX_HELLO: usize = 1024;
/// The relay's answer to a hello.
pub const WELCOME: &[u8] = b"ok\n";

/// The first message of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Version of the handshake.
    wirelab: u32,
    /// Role of the client.
    pub role: Role,
    /// Topic that it publishes or subscribes to.
    pub topic: String,
}

/// Role of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Sends.
    Publisher,
    /// Receives.
    Subscriber,
}

impl Hello {
    /// Parses a hello; `None` for anything else.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let hello: Self = serde_json::from_slice(bytes).ok()?;
        (hello.wirelab == 1).then_some(hello)
    }
}

/// The hello for one role in a trial, without a newline.
///
/// # Errors
/// A fatal fault if the topic is too long.
pub fn hello(role: Role, setup: &Setup) -> Result<String, Fault> {
    let hello = Hello {
        wirelab: 1,
        role,
        topic: setup.topic.clone(),
    };
    let text = serde_json::to_string(&hello).map_err(|error| Fault::fatal("topic", error))?;
    match text.len() {
        0..=MAX_HELLO => Ok(text),
        length => Err(Fault::fatal(
            "topic",
            format!("the hello to the relay is {length} B; the limit is {MAX_HELLO} B"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_hello_of_this_version_is_one() {
        let hello = Hello::parse(br#"{"wirelab":1,"role":"publisher","topic":"t"}"#).unwrap();
        assert_eq!((hello.role, hello.topic.as_str()), (Role::Publisher, "t"));
        assert_eq!(
            Hello::parse(br#"{"wirelab":2,"role":"publisher","topic":"t"}"#),
            None
        );
        assert_eq!(Hello::parse(b"message001"), None);
    }
}
