"""Whom a benchmark asks: one interface; an OpenAI-compatible server, scripted models, recorded replies."""
