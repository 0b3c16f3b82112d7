"""`python -m tvarc`."""

from tvarc.cli.main import process

if __name__ == "__main__":
    process()
