"""Ranking under thresholds: `answer.answer(store, thresholds, objectives)`, `thresholds.parse_thresholds(texts)`.

Importing this package alone imports no numpy; `thresholds` imports none either.
"""
