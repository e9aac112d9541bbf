//! `import --netem`, `show --netem` and `run --plan`: links from and for the kernel's netem.

use wirelab_link_model::{LinkSpec, netem};

use crate::failure::Failure;
use crate::inputs;

/// Print the link text of netem's parameters; on standard error, what differs.
pub fn import(parameters: &str) -> Result<u8, Failure> {
    let found = netem::parse(parameters)?;
    println!("{}", found.link);
    for sentence in found.differs {
        eprintln!("wirelab-link: note: {sentence}");
    }
    Ok(0)
}

/// Print the commands that come nearest to a link, each direction where its packets leave, and what netem cannot do of it.
pub fn show(text: &str) -> Result<u8, Failure> {
    let link = inputs::parse_link(text)?;
    println!(
        "# {}\n# as far as the kernel's netem can; run as root, undo with `tc qdisc del dev DEVICE root`",
        link.text
    );
    print(
        &link,
        [
            ("", "$HOST", "the host's device"),
            (
                "",
                "$PEER",
                "the device on the other end of the host's cable",
            ),
        ],
    );
    Ok(0)
}

/// Print the commands of both directions: what comes before each, the device, and what that is.
pub fn print(link: &LinkSpec, places: [(&str, &str, &str); 2]) {
    let directions = [("up", &link.up), ("down", &link.down)];
    for ((name, side), (before, device, at)) in directions.into_iter().zip(places) {
        let plan = netem::plan(side, device);
        println!("# {name}: {device} is {at}");
        for command in plan.commands {
            println!("{before}{command}");
        }
        for sentence in plan.cannot {
            println!("# not in {name}: {sentence}");
        }
    }
    println!(
        "# not in either: draws from a seed and per flow; the queueing discipline's clock, not the packet's arrival, sets the time"
    );
}
