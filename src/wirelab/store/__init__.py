"""The run directory: `run.db` (the journal of trials) and `samples/` (one Parquet file per trial).

The names stand in `run` (RunStore), `sample_file` (what peers write) and `samples` (Parquet).
"""
