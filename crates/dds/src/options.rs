//! Options whose meaning is the same for every library.

use wirelab_peer::{Fault, Setup};

/// Whether lost samples are retransmitted.
pub fn reliable(setup: &Setup) -> bool {
    setup.qos == "reliable"
}

/// Whether data may be sent by multicast.
///
/// # Errors
/// A fatal fault that names the option.
pub fn multicast(setup: &Setup) -> Result<bool, Fault> {
    setup
        .options
        .one_of("transport", [("unicast", false), ("multicast", true)])
}

/// Whether a writer keeps samples for late-joining readers.
///
/// # Errors
/// A fatal fault that names the option.
pub fn transient_local(setup: &Setup) -> Result<bool, Fault> {
    setup.options.one_of(
        "durability",
        [("volatile", false), ("transient-local", true)],
    )
}

/// History depth; 0 keeps all samples.
///
/// # Errors
/// A fatal fault that names the option.
pub fn samples_kept(setup: &Setup) -> Result<i32, Fault> {
    match setup.options.text("history") {
        "all" => Ok(0),
        depth => match depth.parse() {
            Ok(depth @ 1..) => Ok(depth),
            _ => Err(Fault::fatal(
                "option history",
                format!("{depth:?} is neither all nor a number above 0"),
            )),
        },
    }
}
