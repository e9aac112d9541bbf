//! An event loop that keeps what the library's drops when its connection breaks.

/// Defines `Loop` over one version's `EventLoop`, `Event`, `Request`, `Packet`, `Level` and `to_client_event`, which are alike but for their types. `$known`
/// is an empty publication of QoS 2.
macro_rules! replaying_loop {
    ($known:expr) => {
        /// The library's event loop, and the requests it had when its connection broke.
        pub struct Loop {
            events: EventLoop,
            /// Publications that may be under way, as asked for, and as the server takes them.
            inflight: u16,
            window: u16,
            kept: std::collections::VecDeque<Request>,
            /// What is pending was kept, and has never been sent.
            fed: bool,
            connected: bool,
        }

        impl Loop {
            pub fn new(events: EventLoop, inflight: u16) -> Self {
                Self {
                    events,
                    inflight,
                    window: inflight,
                    kept: Default::default(),
                    fed: false,
                    connected: false,
                }
            }

            /// The next event. What the library has read and not told when it fails goes to `unread`.
            ///
            /// # Errors
            /// Why the connection has ended, or could not be made.
            pub async fn next(
                &mut self,
                session: &mut Session,
                unread: &mut std::collections::VecDeque<ClientEvent>,
            ) -> Result<ClientEvent, String> {
                self.feed();
                match self.events.poll().await {
                    Ok(event) => {
                        let happened = to_client_event(event, session);
                        if let ClientEvent::Connected { resumed, window } = happened {
                            self.window =
                                window.map_or(self.window, |most| self.inflight.min(most));
                            unread.extend(self.resume(session, resumed));
                        }
                        Ok(happened)
                    }
                    Err(error) => {
                        self.connected = false;
                        let read = std::mem::take(&mut self.events.state.events);
                        self.keep(&read);
                        unread.extend(
                            read.into_iter()
                                .map(|event| to_client_event(event, session)),
                        );
                        Err(why(&error))
                    }
                }
            }

            /// Hands over what was kept and has never been sent, one by one: what is pending passes by the library's limit of
            /// publications under way, beyond which it loses them.
            fn feed(&mut self) {
                if !self.events.pending.is_empty() {
                    return;
                }
                let state = &self.events.state;
                let room = state.inflight() < self.window && state.collision.is_none();
                let next = match self.connected && room {
                    true => self.kept.pop_front(),
                    false => None,
                };
                self.fed = next.is_some();
                self.events.pending.extend(next);
            }

            /// Takes over what is pending, which the library clears when the server has no session: not what it promised to deliver. `last`
            /// happened before the connection broke.
            fn keep(&mut self, last: &std::collections::VecDeque<Event>) {
                let left = |event: &Event| {
                    matches!(
                        event,
                        Event::Outgoing(Outgoing::Publish(_) | Outgoing::AwaitAck(_))
                    )
                };
                if std::mem::take(&mut self.fed)
                    && !last.iter().any(left)
                    && let Some(first) = self.events.pending.pop_front()
                {
                    // It was before all that is kept.
                    self.kept.push_front(first);
                }
                self.kept.append(&mut self.events.pending);
            }

            /// Goes on where the connection broke; what cannot be known any more is told as refused.
            fn resume(&mut self, session: &mut Session, present: bool) -> Vec<ClientEvent> {
                self.connected = true;
                match present {
                    true => self.remind(session),
                    false => session.ended(),
                }
                let mut lost = Vec::new();
                let mut begun = Vec::new();
                for mut request in std::mem::take(&mut self.kept) {
                    match &mut request {
                        Request::Publish(publish) if publish.pkid == 0 => {
                            self.kept.push_back(request);
                        }
                        Request::Publish(publish)
                            if !present && publish.qos == Level::ExactlyOnce =>
                        {
                            lost.push(session.refused(publish.pkid));
                        }
                        Request::PubRel(release) if !present => {
                            lost.push(session.refused(release.pkid));
                        }
                        Request::PubRel(release) => {
                            begun.push(((false, session.turn_of(release.pkid)), request));
                        }
                        Request::Publish(publish) => {
                            // MQTT 3.1.1 and 5, 3.3.1.1.
                            publish.dup = true;
                            begun.push(((true, session.turn_of(publish.pkid)), request));
                        }
                        // The subscription is made again where the session is gone; acknowledgements belong to the old connection.
                        _ => {}
                    }
                }
                if !present && let Some(mut publish) = self.events.state.collision.take() {
                    // It waited for an identifier, and was before all that has none.
                    publish.pkid = 0;
                    self.kept.push_front(Request::Publish(publish));
                }
                // The library orders them by identifier, and releases behind publications: a message whose release was lost would come late.
                begun.sort_by_key(|(turn, _)| *turn);
                self.events
                    .pending
                    .extend(begun.into_iter().map(|(_, request)| request));
                lost
            }

            /// Tells the library of the QoS 2 messages that have arrived: it has forgotten their identifiers, and would take their PUBREL for
            /// an error.
            fn remind(&mut self, session: &Session) {
                let state = &mut self.events.state;
                for &id in &session.seen {
                    let mut known = $known;
                    known.pkid = id;
                    let _ = state.handle_incoming_packet(Packet::Publish(known));
                }
                state.events.clear();
            }
        }

        /// The cause without the library's own names of its layers.
        fn why(error: &ConnectionError) -> String {
            match error {
                ConnectionError::Io(error) => error.to_string(),
                ConnectionError::MqttState(error) => error.to_string(),
                ConnectionError::ConnectionRefused(code) => format!("the server refused: {code:?}"),
                other => other.to_string(),
            }
        }
    };
}

pub(super) use replaying_loop;
