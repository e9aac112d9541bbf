"""Services of the operating system: the paths of our programs, and child processes."""
