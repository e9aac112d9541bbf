"""The costs of each format's C codec on the sender's chip."""

from __future__ import annotations

from rich.console import Console

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer
from wirelab.model.device import DeviceRun
from wirelab.report import device_html, device_table, devices
from wirelab.report.markdown_text import bullets, escape
from wirelab.report.rendering import render
from wirelab.report.section import Part, Section
from wirelab.report.terminal_device import print_device


def _run(answer: Answer) -> DeviceRun:
    assert answer.device is not None  # the section applies
    return answer.device


def _html(answer: Answer, _view: StoreView) -> list[Part]:
    device = device_html.section(_run(answer))
    return [Part("device", f"On {device['title']}", render("sections/device.html", device=device))]


def _markdown(answer: Answer) -> list[str]:
    run = _run(answer)
    title = f"## On {escape(devices.title(run))}"
    return [title, *devices.section(run), bullets(device_table.sources(run))]


def _print(answer: Answer, console: Console) -> None:
    print_device(_run(answer), console)


SECTION = Section(
    30, lambda answer: answer.device is not None, html=_html, markdown=_markdown, terminal=_print
)
