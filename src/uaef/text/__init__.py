"""Text in and text out: pure functions that metrics, judges and reports share."""
