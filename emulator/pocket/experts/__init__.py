"""Scripted users of the pocket phone's apps: readable solutions, one function a task, driven by the screen."""
