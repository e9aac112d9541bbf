"""A link text is parsed into its items and written again."""

from __future__ import annotations

import pytest

from wirelab.model.link_text import LinkItem, LinkText, parse_link_text


def test_commas_inside_parentheses_do_not_end_an_item() -> None:
    assert parse_link_text("wifi, loss=ge(p=1%,r=25%),rate*0.5") == LinkText(
        (LinkItem("", "wifi"), LinkItem("loss", "ge(p=1%,r=25%)"), LinkItem("", "rate*0.5"))
    )


@pytest.mark.parametrize("text", ["", "ideal", "a/b.up,up.loss=5%,queue=red(min=15kB,max=45kB,p=10%)"])
def test_a_link_text_is_written_as_it_was_read(text: str) -> None:
    assert str(parse_link_text(text)) == text


def test_a_setting_is_found_in_both_directions_and_by_its_whole_name() -> None:
    link = parse_link_text("lte,loss=1%,down.loss=2%,up.loss-trace=tunnel.loss")
    assert link.values("loss") == ["1%", "2%"]


def test_files_of_a_link_move_to_their_new_paths_and_settings_stay() -> None:
    link = parse_link_text("a/drive.up,down.trace=b=c/cell.csv,loss=0.5")
    assert link.file_names() == ["a/drive.up", "b=c/cell.csv", "0.5"]
    moved = link.with_files({"a/drive.up": "/n/1", "b=c/cell.csv": "/n/2"})
    assert str(moved) == "/n/1,down.trace=/n/2,loss=0.5"
