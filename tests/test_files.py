import errno
import os
import stat
import threading

import pytest

from nearkin.files import replacing


def write(path, content=b"new"):
    with replacing(path) as file:
        file.write(content)


def test_new_files_follow_the_umask_and_old_ones_keep_their_permissions(tmp_path):
    before = os.umask(0o027)
    try:
        write(tmp_path / "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    (tmp_path / "new").chmod(0o604)
    write(tmp_path / "new", b"newer")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o604
    assert (tmp_path / "new").read_bytes() == b"newer"


def test_links_stay_links(tmp_path):
    (tmp_path / "store").mkdir()
    for name, there in (("link", True), ("dangling", False)):
        target, link = tmp_path / "store" / name, tmp_path / name
        if there:
            target.write_bytes(b"old")
        link.symlink_to(target)
        write(link)
        assert link.is_symlink()
        assert target.read_bytes() == b"new"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device here")
def test_devices_are_written_to_and_never_replaced():
    write("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(OSError, match=r"no room left.*choose another place.*/dev/full"):
        write("/dev/full")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_pipes_are_written_to(tmp_path):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join(timeout=10)
    assert got == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "model"
    path.write_bytes(b"old")

    def fail():
        with replacing(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(type(error)) as caught:
        fail()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["model"]
    if isinstance(error, OSError):
        assert caught.value.filename == str(path)
        assert "free some space" in str(caught.value)


def test_a_folder_or_a_missing_one_is_an_error(tmp_path):
    with pytest.raises(IsADirectoryError):
        write(tmp_path)
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "none" / "file")
    assert os.listdir(tmp_path) == []
