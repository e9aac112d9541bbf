"""The report in a real browser: no console messages, nothing wider than a narrow screen, no name
broken in two.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from html import escape, unescape
from pathlib import Path

import pytest

from tests.report import fixtures
from tests.report.study_fixtures import PAGE
from wirelab.report import study
from wirelab.report.html import page

Run = Callable[..., subprocess.CompletedProcess[str]]

# Elements that stick out of the page, unless they scroll inside an element that does not.
PROBE = """<script>
const wide = document.documentElement.clientWidth;
const out = [...document.body.querySelectorAll('*')].filter(e =>
  e.getBoundingClientRect().right > wide + 1 && !e.closest('.scroll, svg, .hidden, details:not([open])'));
const cut = [...document.querySelectorAll('svg.picture')].filter(p => p.getBoundingClientRect().width)
  .flatMap(p => [...p.querySelectorAll('text')].filter(t => {
    const [a, b] = [p.getBoundingClientRect(), t.getBoundingClientRect()];
    return b.left < a.left - 1 || b.right > a.right + 1 || b.top < a.top - 1 || b.bottom > a.bottom + 1; }));
const clash = [...document.querySelectorAll('svg.picture')].filter(p => p.getBoundingClientRect().width)
  .flatMap(p => { const t = [...p.querySelectorAll('text.tick, text.axis')]; return t.filter((x, i) => t.slice(i + 1).some(y => {
    const [a, b] = [x.getBoundingClientRect(), y.getBoundingClientRect()];
    return a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom; })); });
const broken = [...document.querySelectorAll('tbody .name')].filter(e => {
  const words = e.textContent.trim(), range = document.createRange();
  const text = [...e.childNodes].find(n => n.nodeType === Node.TEXT_NODE && n.textContent.trim());
  if (!text || words.length > 30 || /\\s/.test(words)) return false;
  range.selectNodeContents(text);
  return new Set([...range.getClientRects()].filter(r => r.width > 1).map(r => Math.round(r.top))).size > 1; });
const named = list => list.map(e => e.tagName + ' ' + e.textContent.slice(0, 40));
document.body.innerHTML = '<pre id=probe></pre>';
document.getElementById('probe').textContent = JSON.stringify(
  {wide, out: named(out), cut: named(cut), clash: named(clash), broken: named(broken)});
</script>"""
# A window cannot be narrower than 500 px, so pages are in frames. This collects their probes.
COPY = """<pre id="found"></pre><script>addEventListener('load', () => { document.getElementById('found').textContent =
  JSON.stringify(Object.fromEntries([...document.querySelectorAll('iframe')].map(f =>
    [f.title, JSON.parse(f.contentDocument.getElementById('probe').textContent)]))); });</script>"""


PAGES = (*fixtures.ANSWERS, "study")


def _page(name: str) -> str:
    if name == "study":
        return study.html(PAGE)
    return page(fixtures.ANSWERS[name](), fixtures.View())


@pytest.mark.browser
@pytest.mark.parametrize("name", ["usual", "hostile", "study"])
def test_the_page_opens_without_console_messages(chromium: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "report.html").write_text(_page(name))
    opened = chromium("--enable-logging=stderr", "--dump-dom", f"file://{tmp_path}/report.html")
    assert "</html>" in opened.stdout
    assert [line for line in opened.stderr.splitlines() if "CONSOLE" in line] == []


@pytest.mark.browser
def test_nothing_sticks_out_overlaps_or_breaks_a_name(chromium: Run, tmp_path: Path) -> None:
    frames = {f"{name} at {width}": _frame(name, width) for name in PAGES for width in (480, 1280)}
    drawn = "".join(f'<iframe title="{title}" {frame}></iframe>' for title, frame in frames.items())
    (tmp_path / "frames.html").write_text(f'<!doctype html><meta charset="utf-8">{drawn}{COPY}')
    opened = chromium("--window-size=1400,1000", "--dump-dom", f"file://{tmp_path}/frames.html")
    found = re.search(r'<pre id="found">(.*?)</pre>', opened.stdout, re.DOTALL)
    assert found is not None
    fine = {"out": [], "cut": [], "clash": [], "broken": []}
    assert json.loads(unescape(found[1])) == {
        title: {"wide": int(title.split()[-1]), **fine} for title in frames
    }


def _frame(name: str, width: int) -> str:
    page_with_probe = re.sub(r"<meta http-equiv[^>]*>", "", _page(name)).replace("</body>", PROBE + "</body>")
    return f'srcdoc="{escape(page_with_probe)}" style="width: {width}px; height: 900px"'
