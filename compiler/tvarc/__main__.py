"""`python -m tvarc`."""

from tvarc.cli.entry import process

if __name__ == "__main__":
    process()
