//! A thread that lets libcoap receive until it is told to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use wirelab_peer::Subscriber;

/// How long libcoap waits before the thread looks whether it is to end.
const LOOK: Duration = Duration::from_millis(100);

pub struct Receiving {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Receiving {
    /// Starts it. `process` takes what has come, and waits at most so long for more.
    pub fn start(mut process: impl FnMut(Duration) + Send + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            while !told.load(Ordering::Acquire) {
                process(LOOK);
            }
        });
        Self { stop, thread }
    }
}

impl Subscriber for Receiving {
    fn close(self: Box<Self>) {
        self.stop.store(true, Ordering::Release);
        // The thread takes the endpoint with it, and libcoap tells the server.
        let _ = self.thread.join();
    }
}
