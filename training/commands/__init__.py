"""The verbs of `solar-train`, one module each, imported when the verb runs."""
