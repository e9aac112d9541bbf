"""Estimates, intervals, comparisons, and the join of two peers' samples. Pure: no file, no clock, no process.

The names stand in `intervals`, `compare`, `join` and `drift`; importing this package alone imports no numpy.
"""
