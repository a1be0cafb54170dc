"""Episodes on phones: tasks, the loop that observes, asks and acts, suites over many devices, and their numbers."""
