"""Estimates, intervals, comparisons, and the join of samples. Pure: no files, clocks or processes.

The modules are `intervals`, `comparison`, `sample_join` and `drift`; importing this package imports
no numpy.
"""
