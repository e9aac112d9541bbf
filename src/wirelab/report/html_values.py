"""Values for the templates of sections: a figure with its interval, a picture in two widths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from wirelab.model.estimate import Estimate
from wirelab.report import cell_text

WIDE, NARROW = 780, 420
Values = dict[str, Any]


def number(estimate: Estimate | None) -> Values | None:
    """A value and its interval as texts, and the method behind them."""
    if estimate is None:
        return None
    about = (
        f"{estimate.confidence:.0%} interval, {estimate.method}; "
        f"{cell_text.count(estimate.replicates, 'replicate')}, n = {estimate.n:,}"
    )
    return {"value": cell_text.value(estimate), "interval": cell_text.interval(estimate), "about": about}


def both(draw: Callable[..., str], *values: Any) -> Markup:
    """A picture for wide pages and one for narrow ones, of which the style sheet shows one."""
    return Markup(draw(*values, WIDE, "wide") + draw(*values, NARROW, "narrow"))
