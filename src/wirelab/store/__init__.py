"""The run directory: `run.db` (the journal of trials) and `samples/` (one Parquet file per trial).

The modules are `run` (RunStore), `sample_file` (written by peers) and `samples` (Parquet).
"""
