"""Programs, locks and recipes made at random, and what holds of any of them; see README.md."""
