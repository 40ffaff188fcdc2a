"""Runs: conversations played and scored, and what they come to together."""
