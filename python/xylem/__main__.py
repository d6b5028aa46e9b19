"""`python -m xylem`: the command line, if the script `xylem` is not on the path."""

from xylem.cli import main

if __name__ == "__main__":
    main()
