//! `import --netem`, `show --netem` and `run --plan`: conversion between link texts and netem.

use wirelab_link_model::{LinkSpec, netem};

use crate::failure::Failure;
use crate::inputs;

/// Print netem parameters as a link text. Differences go to standard error.
pub fn import(parameters: &str) -> Result<u8, Failure> {
    let imported = netem::parse(parameters)?;
    println!("{}", imported.link);
    for sentence in imported.differences {
        eprintln!("wirelab-link: note: {sentence}");
    }
    Ok(0)
}

/// Print the commands that configure netem like a link, each direction on the device it leaves
/// through, and what netem cannot do.
pub fn show(text: &str) -> Result<u8, Failure> {
    let link = inputs::parse_link(text)?;
    println!(
        "# {}\n# as similar as netem can; run as root, undo with `tc qdisc del dev DEVICE root`",
        link.text
    );
    print(
        &link,
        [
            ("", "$HOST", "the host's device"),
            (
                "",
                "$PEER",
                "the device at the other end of the host's veth pair",
            ),
        ],
    );
    Ok(0)
}

/// Print the commands of both directions. `places` has a command prefix, the device and its
/// description for each.
pub fn print(link: &LinkSpec, places: [(&str, &str, &str); 2]) {
    let directions = [("up", &link.up), ("down", &link.down)];
    for ((name, direction), (before, device, at)) in directions.into_iter().zip(places) {
        let plan = netem::plan(direction, device);
        println!("# {name}: {device} is {at}");
        for command in plan.commands {
            println!("{before}{command}");
        }
        for sentence in plan.unsupported {
            println!("# not in {name}: {sentence}");
        }
    }
    println!(
        "# not in either: seeded draws per flow; times are computed from the queueing discipline's clock, not from the packet's arrival"
    );
}
