"""Ranking under needs: `answer.answer(store, needs, objectives)`, `needs.parse_needs(texts)`.

Importing this package alone imports no numpy; `needs` imports none either.
"""
