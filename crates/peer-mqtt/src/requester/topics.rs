//! The topics of requests and answers: `T/request/CLIENT/SEQ` and `T/answer/CLIENT/SEQ`.

use wirelab_peer::Setup;

/// The topics of one requester.
#[derive(Clone)]
pub struct Topics {
    topic: String,
    client: String,
}

impl Topics {
    pub fn new(setup: &Setup) -> Self {
        Self {
            topic: setup.topic.clone(),
            client: setup.client.clone(),
        }
    }

    /// The topic filter for the requests of all requesters.
    pub fn every_request(&self) -> String {
        format!("{}/request/+/+", self.topic)
    }

    /// The topic of the answer to a request.
    pub fn answer_to(request: &str) -> Option<String> {
        let (front, seq) = request.rsplit_once('/')?;
        let (front, client) = front.rsplit_once('/')?;
        let topic = front.strip_suffix("/request")?;
        Some(format!("{topic}/answer/{client}/{seq}"))
    }

    pub fn request(&self, seq: u64) -> String {
        format!("{}/request/{}/{seq}", self.topic, self.client)
    }

    pub fn answer(&self, seq: impl std::fmt::Display) -> String {
        format!("{}/answer/{}/{seq}", self.topic, self.client)
    }
}

/// The request number in an answer's topic.
pub fn seq_of(topic: &[u8]) -> Option<u64> {
    let topic = std::str::from_utf8(topic).ok()?;
    topic.rsplit('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_goes_to_the_topic_that_its_requester_subscribes() {
        let topics = Topics {
            topic: "wirelab/t".into(),
            client: "car".into(),
        };
        assert_eq!(topics.request(7), "wirelab/t/request/car/7");
        assert_eq!(
            Topics::answer_to(&topics.request(7)),
            Some("wirelab/t/answer/car/7".into())
        );
        assert_eq!(topics.answer('+'), "wirelab/t/answer/car/+");
        assert_eq!(seq_of(topics.answer(7).as_bytes()), Some(7));
        assert_eq!(Topics::answer_to("wirelab/t/answer/car/7"), None);
    }
}
