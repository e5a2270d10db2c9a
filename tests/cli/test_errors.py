"""Files are tried before the work starts, and nothing is left of the trial."""

from __future__ import annotations

import pytest

from nearkin.cli.errors import CommandError, require_writable


def test_a_trial_leaves_nothing(tmp_path):
    require_writable(tmp_path / "new")
    (tmp_path / "old").write_text("kept")
    require_writable(tmp_path / "old")
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert (tmp_path / "old").read_text() == "kept"


def test_a_link_to_a_file_that_is_yet_to_be_written_stays(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "model")
    require_writable(link)
    assert link.is_symlink()
    assert not (tmp_path / "model").exists()
    link.unlink()
    link.symlink_to(tmp_path / "missing" / "model")
    with pytest.raises(CommandError, match="missing does not exist"):
        require_writable(link)
