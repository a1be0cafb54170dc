"""Tables and pages made from run directories; nothing here computes a score."""
