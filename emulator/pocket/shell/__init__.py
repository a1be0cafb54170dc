"""The pocket phone's device shell: a small POSIX interpreter of our own. It never calls the host's shell."""
