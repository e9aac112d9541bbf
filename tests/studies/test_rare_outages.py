"""Means over links with rare outages."""

from __future__ import annotations

import pytest

from wirelab.model.study import Study
from wirelab.studies.rare_outages import stated_outages


def test_a_mean_over_a_link_with_rare_outages_is_named_with_its_share() -> None:
    assert stated_outages(Study(link=("lte-drive", "wifi"), rank_by=("mean", "bytes"))) == [
        "mean latency over lte-drive: it has no capacity in 1.77 % of its seconds, which few trials meet, so "
        "the true mean is outside the interval more often than stated; rank by a quantile, or ask for "
        "late>500ms"
    ]


@pytest.mark.parametrize("rank_by", [("latency", "bytes"), ("p99",), ("wire_bytes",)])
def test_other_metrics_and_links_have_no_warning(rank_by: tuple[str, ...]) -> None:
    assert stated_outages(Study(link=("lte-drive",), rank_by=rank_by)) == []
    assert stated_outages(Study(link=("wifi",), rank_by=("mean",))) == []
