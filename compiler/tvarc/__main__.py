"""`python -m tvarc`."""

from tvarc.cli.main import main

if __name__ == "__main__":
    main()
