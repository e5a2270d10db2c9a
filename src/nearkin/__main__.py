"""`python -m nearkin`: the same as the command `nearkin`."""

from nearkin.cli import main

if __name__ == "__main__":
    main()
