"""Access to the disk: reads, caches, compares and writes files, and runs git."""
