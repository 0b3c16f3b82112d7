"""What one would use instead of tvarc; each is run as a program of its own."""
