"""Devices as HTML: the section of a report, and the page of `wirelab devices`."""

from __future__ import annotations

from collections.abc import Sequence

from wirelab.model.device import DeviceRun
from wirelab.model.origin import Origin
from wirelab.report import cell_text, device_figures, devices, svg
from wirelab.report import device_table as table
from wirelab.report.html_values import Values, both
from wirelab.report.rendering import render_page


def page(payload: str, runs: Sequence[DeviceRun], origin: Origin | None = None) -> str:
    """One HTML file that opens offline, all text from outside escaped."""
    return render_page(
        "devices.html",
        payload=payload,
        messages=cell_text.count(runs[0].messages, "message"),
        runs=[section(run) for run in runs],
        sources=list(table.sources(runs[0])),
        origin=origin,
    )


def section(run: DeviceRun) -> Values:
    """One chip: its table, its two pictures and remarks."""
    heads = table.headings(run)
    pictures = [device_figures.cost, device_figures.price] if len(run.measured) > 1 else []
    return {
        "name": run.device,
        "title": devices.title(run),
        "headings": heads,
        "rows": [
            {
                "letter": cell_text.letter(index),
                "colour": index % svg.COLOURS,
                "name": row.codec,
                "version": row.version,
                "cells": table.texts(run, row)[1:],
            }
            for index, row in enumerate(run.measured)
        ],
        "pictures": [both(draw, run) for draw in pictures],
        "flips": list(table.flips(run)),
        "remarks": [line for line in table.remarks(run) if line not in set(table.flips(run))],
        "sources": list(table.sources(run)),
    }
