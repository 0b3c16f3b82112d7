"""`python -m tvarc`."""

from tvarc.commands.cli.entry import process

if __name__ == "__main__":
    process()
