"""Ranking under thresholds: `answer.answer` ranks a run, `thresholds` reads and judges thresholds.

Importing this package alone imports no numpy; `thresholds` imports none either.
"""
