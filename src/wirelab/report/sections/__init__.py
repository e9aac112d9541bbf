"""The sections of the report. Each module declares one as SECTION (report/section.py)."""
