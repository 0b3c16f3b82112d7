"""Expressions: their kinds, their values, and the limits of evaluation."""
