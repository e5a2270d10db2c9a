"""Numbers, names and stages as people read them."""

from __future__ import annotations

import re

#: What progress bars call the stages of a run; the main one is called what the caller is doing.
STAGES = {"warm-up": "compiling", "scout": "first look", "tune": "tuning", "repeat": "repeating"}


def seconds_text(seconds: float | None) -> str:
    """A duration in the unit people would use.

    >>> seconds_text(0.0042), seconds_text(3.21), seconds_text(150)
    ('4 ms', '3.2 s', '2 min 30 s')
    """
    if seconds is None:
        return "–"
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def size_text(size: int | None) -> str:
    """Bytes in the unit people would use.

    >>> size_text(532), size_text(48_200), size_text(3_400_000), size_text(None)
    ('532 B', '48 kB', '3.4 MB', '–')
    """
    if size is None:
        return "–"
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.0f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def p_text(p_value: float | None) -> str:
    """A p-value without false precision.

    >>> p_text(0.0123), p_text(1e-9), p_text(0.4)
    ('0.012', '< 0.001', '0.40')
    """
    if p_value is None or p_value != p_value:
        return "–"
    if p_value < 0.001:
        return "< 0.001"
    return f"{p_value:.3f}" if p_value < 0.1 else f"{p_value:.2f}"


def verdict_text(verdict: str, *, practically_equivalent: bool = False) -> str:
    """The answer to "beats Euclid?", with a remark on differences too small to matter.

    >>> verdict_text("beats"), verdict_text("beats", practically_equivalent=True)
    ('yes', 'yes, but practically equivalent')
    """
    words = {"beats": "yes", "worse": "no, worse", "no difference": "no difference shown"}
    small = practically_equivalent and verdict in ("beats", "worse")
    return words.get(verdict, verdict) + (", but practically equivalent" if small else "")


def value_text(value) -> str:
    """A setting, label or target, floats rounded to four digits.

    >>> value_text(0.007692307692307693), value_text("softmax"), value_text(None)
    ('0.007692', 'softmax', 'None')
    """
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def short_setting(name: str) -> str:
    """The last part of a nested parameter name.

    >>> short_setting("model__learner__n_targets")
    'n_targets'
    """
    return name.rsplit("__", 1)[-1]


def natural_order(text: str) -> list:
    """A key that sorts class 2 before class 10.

    >>> sorted(["class 10", "class 2"], key=natural_order)
    ['class 2', 'class 10']
    """
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", text)]
