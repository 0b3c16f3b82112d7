"""What an editor asks about programs that a person is writing."""
