//! How a client of a relay introduces itself: one line of JSON, answered by one line.

use serde::{Deserialize, Serialize};
use wirelab_peer::{Fault, Setup};

/// The longest hello in bytes.
pub const MAX_HELLO: usize = 1024;
/// What a client hears after its hello.
pub const WELCOME: &[u8] = b"ok\n";

/// Who a client is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Version of this exchange.
    wirelab: u32,
    /// Which side.
    pub role: Role,
    /// What it sends or wants.
    pub topic: String,
}

/// Which side a client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Sends.
    Publisher,
    /// Receives.
    Subscriber,
}

impl Hello {
    /// A hello, or `None` for anything else.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let hello: Self = serde_json::from_slice(bytes).ok()?;
        (hello.wirelab == 1).then_some(hello)
    }
}

/// The hello of one side of a trial, without its newline.
///
/// # Errors
/// A fatal fault, when the topic is too long.
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
            format!("the hello to the relay is {length} B, at most {MAX_HELLO} B fit"),
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
