"""Published studies run again.

Each folder holds a study's file, its code, its published values and its page.
"""
