"""The contrast of colours with the page (WCAG 2.2: 4.5 for text, 3 for graphics)."""

import re
from pathlib import Path

import pytest

CSS = Path(__file__).resolve().parents[2] / "src/wirelab/report/templates/report.css"
TEXT = ("ink", "quiet", "good", "bad", "c0")
GRAPHICS = (*(f"c{i}" for i in range(8)), "queue", "encode", "wire", "server", "decode")


def _luminance(colour: str) -> float:
    full = colour if len(colour) == 6 else "".join(2 * digit for digit in colour)
    parts = [int(full[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    dark, bright = sorted((_luminance(one), _luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


THEMES = [
    dict(re.findall(r"--(\w+): #([0-9a-f]{3,6})", block))
    for block in re.findall(r":root \{(.*?)\}", CSS.read_text(), re.DOTALL)
]


@pytest.mark.parametrize("theme", THEMES, ids=["light", "dark", "print"])
def test_text_and_graphics_stand_out_from_the_page(theme: dict[str, str]) -> None:
    weak = [name for name in TEXT if _contrast(theme[name], theme["paper"]) < 4.5]
    weak += [name for name in GRAPHICS if _contrast(theme[name], theme["paper"]) < 3]
    weak += [f"letter on c{i}" for i in range(8) if _contrast(theme["letter"], theme[f"c{i}"]) < 4.5]
    assert weak == []


def test_every_theme_sets_every_colour() -> None:
    assert len(THEMES) == 3
    assert set(THEMES[0]) == set(THEMES[1]) == set(THEMES[2])
