"""What evaluates a trained checkpoint: the pocket set, the stages, their order."""
