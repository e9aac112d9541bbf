//! How a client of the relay introduces itself, on either transport.

use serde::Deserialize;

/// The longest hello in bytes.
pub const MAX_HELLO: usize = 1024;

/// Who a client is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Hello {
    /// Version of this exchange.
    wirelab: u32,
    /// Which side.
    pub role: Role,
    /// What it sends or wants.
    pub topic: String,
}

/// Which side a client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
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
