"""The picture of the landing page for the width of a phone."""

import landing


def draw(path) -> None:
    landing.draw(path, narrow=True)
