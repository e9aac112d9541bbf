"""`wirelab reproduce`: a published study, run again, claim by claim."""

from __future__ import annotations

from pathlib import Path

import click

from wirelab.model.errors import BadInput
from wirelab.model.text import nearest

STUDIES = ("friesel2021",)


@click.command("reproduce")
@click.argument("study")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="Where figures and claims go [default: runs/STUDY]."
)
@click.option("--mpack-dir", type=click.Path(path_type=Path), help="Sources of MPack.")
@click.option("--arduinojson-dir", type=click.Path(path_type=Path), help="Sources of ArduinoJson.")
def command(study: str, out: Path | None, mpack_dir: Path | None, arduinojson_dir: Path | None) -> None:
    """Run a published study again (friesel2021) and say of each claim: holds, does not hold, cannot be tested here."""
    if study not in STUDIES:
        raise BadInput(f"study '{study}'", "not one that can be run again", nearest(study, STUDIES))
    from wirelab.devices import libraries
    from wirelab.studies.friesel import reproduce_friesel

    found = libraries.find(
        {"nanopb": None, "tinycbor": None, "mpack": mpack_dir, "arduinojson": arduinojson_dir}
    )
    folder = out or Path("runs", study)
    checked = reproduce_friesel(folder, found)
    for claim in checked:
        click.echo(
            f"{claim.verdict:<22} {claim.text}\n{'':<22} here: {claim.ours}\n{'':<22} published: {claim.published}"
        )
    tally = {
        verdict: sum(c.verdict == verdict for c in checked)
        for verdict in dict.fromkeys(c.verdict for c in checked)
    }
    click.echo(
        f"\n{', '.join(f'{number} {verdict}' for verdict, number in tally.items())}; figures in {folder}"
    )
