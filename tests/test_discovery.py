"""Names of a small house that has everything discovery must tell apart."""

import importlib
import sys

import pytest

from nearkin._discovery import module_names, subclasses

HOUSE = {
    "house/__init__.py": "",
    "house/room/__init__.py": """
from abc import ABC
from nearkin._discovery import lazy_names, subclasses
from house.room.base import Contract, helper
__getattr__, __dir__ = lazy_names(
    __name__, lambda: subclasses(__name__, Contract), homes={"early": "house.room.functions"}
)
""",
    "house/room/base.py": """
from abc import ABC, abstractmethod
class Contract(ABC):
    @abstractmethod
    def keep(self): ...
def helper(): ...
""",
    "house/room/classes.py": """
from house.room.base import Contract
class Unfinished(Contract): ...
class Kept(Unfinished):
    def keep(self): ...
class _Hidden(Kept): ...
class Stranger: ...
""",
    "house/room/inner/__init__.py": "",
    "house/room/inner/more.py": """
from house.room.classes import Kept
class Deeper(Kept): ...
""",
    "house/room/functions.py": "def early(): ...",
}


@pytest.fixture
def room(tmp_path, monkeypatch):
    for name, text in HOUSE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module_names.cache_clear()
    yield importlib.import_module("house.room")
    module_names.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "house"]:
        del sys.modules[name]


def test_public_are_concrete_classes_of_the_contract_and_what_the_room_imports_itself(room):
    assert dir(room) == room.__all__ == ["Contract", "Deeper", "Kept", "early", "helper"]
    assert list(subclasses("house.room", room.Contract)) == ["Deeper", "Kept"]


def test_nothing_is_walked_before_a_name_asks_for_it(room):
    assert "house.room.classes" not in sys.modules
    assert room.early.__module__ == "house.room.functions"
    assert room.functions is sys.modules["house.room.functions"]
    assert not hasattr(room, "__wrapped__")
    assert "house.room.classes" not in sys.modules
    assert room.Deeper.__module__ == "house.room.inner.more"


@pytest.mark.parametrize("name", ["Unfinished", "_Hidden", "Stranger", "Nothing"])
def test_other_names_are_not_there(room, name):
    with pytest.raises(AttributeError, match=f"module 'house.room' has no attribute '{name}'"):
        getattr(room, name)


def test_modules_are_listed_without_being_imported(room):
    assert module_names("house.room") == ("base", "classes", "functions", "inner")
    assert "house.room.classes" not in sys.modules
