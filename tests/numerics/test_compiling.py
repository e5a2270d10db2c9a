import logging

from nearkin.numerics.compiling import MESSAGE, _Announcement


def test_the_first_compilation_is_announced_once(caplog):
    announcement = _Announcement()
    with caplog.at_level(logging.INFO, logger="nearkin"):
        for _ in range(2):
            announcement.on_start(None)
            announcement.on_end(None)
    assert [record.getMessage() for record in caplog.records] == [MESSAGE]
