"""`python -m tvarc`."""

from tvarc.commands.start.entry import process

if __name__ == "__main__":
    process()
