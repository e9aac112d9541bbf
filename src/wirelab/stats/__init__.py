"""Estimates, intervals, comparisons, and the join of samples. Pure: no files, clocks or processes.

The names stand in `intervals`, `compare`, `join` and `drift`; importing this package alone imports
no numpy.
"""
