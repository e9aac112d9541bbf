"""The ranked rows of each context, their pictures, and the thresholds that they do not pass."""

from __future__ import annotations

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer
from wirelab.report import cell_text, markdown_ranking, ranking_html
from wirelab.report.rendering import render
from wirelab.report.section import Part, Section
from wirelab.report.terminal_ranking import print_rankings

NOTHING = "No combination has a valid trial, so there is nothing to rank."


def _html(answer: Answer, view: StoreView) -> list[Part]:
    shown = [ranking for ranking in answer.rankings if ranking.rows]
    parts = [
        Part(
            f"r{index + 1}",
            cell_text.where(ranking) or "Ranking",
            render(
                "sections/ranking.html",
                ranking=ranking_html.ranking(answer, ranking, view),
                thresholds=bool(answer.thresholds),
                objectives=[cell_text.title(name) for name in answer.objectives],
                coloured=ranking_html.palette(answer)[0],
                several=len(shown) > 1,
            ),
        )
        for index, ranking in enumerate(shown)
    ]
    return parts or [Part("ranking", "Ranking", NOTHING)]


def _markdown(answer: Answer) -> list[str]:
    return [block for one in answer.rankings for block in markdown_ranking.ranking(answer, one)]


SECTION = Section(20, lambda _: True, html=_html, markdown=_markdown, terminal=print_rankings)
