"""The command line: one thin file per command."""


def main() -> None:
    """Entry point of the `nearkin` command."""
    from nearkin.cli.app import app

    app()
