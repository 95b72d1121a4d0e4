"""The commands ``taskmill cache`` and ``taskmill cache clear``."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from command_line import taskmill, taskmill_on_a_terminal
from taskmill import Worker
from taskmill.command import app
from taskmill.command.object_cache import cache_entries, remove, removable

DAY = 86400
KEY = "0123456789abcdef" * 2


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache"


def add_entry(folder: Path, key: str = KEY, suffix: str = "", days: float = 0) -> Path:
    """A file as the kernel compiler leaves it, last used so many days ago."""
    path = folder / key[:2] / f"{key}.object{suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * 100)
    used = time.time() - days * DAY
    os.utime(path, (used, used))
    return path


def facts(folder: Path | None, **changes) -> dict:
    done = taskmill("cache", "--json", TASKMILL_CACHE_DIR=None if folder is None else str(folder), **changes)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_a_worker_compiles_is_counted(sources, folder):
    with Worker(cache_directory=folder) as worker:
        worker.register(sources.add_scalar())
    shown = facts(folder)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert shown["entries"] == len(files) == 2  # a kernel and an orchestration
    assert shown["bytes"] == sum(path.stat().st_size for path in files)
    assert shown["folder"] == str(folder) and shown["oldest_use"] <= shown["newest_use"]


@pytest.mark.parametrize(
    ("variables", "below"),
    [
        ({"TASKMILL_CACHE_DIR": "a", "XDG_CACHE_HOME": "b", "HOME": "c"}, "a"),
        ({"TASKMILL_CACHE_DIR": None, "XDG_CACHE_HOME": "b", "HOME": "c"}, "b/taskmill"),
        ({"TASKMILL_CACHE_DIR": None, "XDG_CACHE_HOME": "", "HOME": "c"}, "c/.cache/taskmill"),
    ],
)
def test_the_folder_is_the_one_that_workers_use(sources, tmp_path, monkeypatch, variables, below):
    places = {name: value and str(tmp_path / value) for name, value in variables.items()}
    for name, value in places.items():
        monkeypatch.delenv(name, raising=False) if value is None else monkeypatch.setenv(name, value)
    with Worker() as worker:
        worker.register(sources.add_scalar())
    done = taskmill("cache", "--json", **places)
    shown = json.loads(done.stdout)
    assert shown["folder"] == str(tmp_path / below) and shown["entries"] == 2


def test_a_folder_that_is_not_there_is_an_empty_cache(folder):
    assert facts(folder) == {"folder": str(folder), "entries": 0, "bytes": 0, "oldest_use": None, "newest_use": None}
    done = taskmill("cache", "clear", TASKMILL_CACHE_DIR=str(folder))
    assert done.returncode == 0 and done.stdout == "removed 0 entries (0 bytes); 0 kept\n" and not folder.exists()


def test_people_read_sizes_and_days(folder):
    add_entry(folder, days=12.5)
    done = taskmill("cache", TASKMILL_CACHE_DIR=str(folder))
    rows = dict(line.split("  ", 1) for line in done.stdout.splitlines()[:5])
    told = {name.strip(): value.strip() for name, value in rows.items()}
    assert done.returncode == 0 and told["entries"] == "1" and told["size"] == "100 bytes"
    assert told["oldest use"] == told["newest use"] and told["oldest use"].endswith(", 12 days ago")


def test_a_file_system_that_records_no_reading_is_told(monkeypatch, capsys, folder):
    add_entry(folder)
    monkeypatch.setenv("TASKMILL_CACHE_DIR", str(folder))
    monkeypatch.setattr(os, "statvfs", lambda path: SimpleNamespace(f_flag=os.ST_NOATIME))
    assert app(["cache"], standalone_mode=False) in (None, 0)
    assert "uses are the times of compiling" in capsys.readouterr().out


def test_clear_removes_entries_and_nothing_else(folder):
    entry, elsewhere = add_entry(folder), add_entry(folder.with_name("elsewhere"), "ab" * 16)
    add_entry(folder, "ff" * 16)
    (folder / "notes.txt").write_text("mine")
    (folder / "01" / "notes.object").write_text("mine")
    (folder / "ab").symlink_to(elsewhere.parent)
    (folder / "01" / f"{'0' * 32}.object").symlink_to(folder / "notes.txt")
    done = taskmill("cache", "clear", TASKMILL_CACHE_DIR=str(folder))
    assert done.returncode == 0 and done.stdout == "removed 2 entries (200 bytes); 0 kept\n"
    left = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())
    assert left == [f"01/{'0' * 32}.object", "01/notes.object", "notes.txt"]
    assert entry.parent.is_dir() and elsewhere.exists()


def test_clear_older_than_keeps_what_was_used_since(folder):
    old, young = add_entry(folder, days=10), add_entry(folder, "ab" * 16, days=3)
    done = taskmill("cache", "clear", "--older-than", 7, TASKMILL_CACHE_DIR=str(folder))
    assert done.returncode == 0 and done.stdout == "removed 1 entry (100 bytes); 1 kept\n"
    assert not old.exists() and young.exists()


def test_an_entry_that_another_process_may_be_writing_is_kept(folder):
    young, old = add_entry(folder, suffix=".Ab3dEf"), add_entry(folder, "ab" * 16, suffix=".Ab3dEf", days=1)
    chosen = removable(list(cache_entries(folder)), older_than_days=0)
    assert [entry.path for entry in chosen] == [old] and young.exists()


def test_an_entry_that_another_process_removed_is_not_counted(folder):
    add_entry(folder)
    entries = list(cache_entries(folder))
    assert len(remove(entries)) == 1 and remove(entries) == []


def test_registering_succeeds_while_the_cache_is_cleared_again_and_again(sources, folder):
    done, problems = threading.Event(), []

    def register():
        try:
            for _ in range(3):
                with Worker(cache_directory=folder) as worker:
                    worker.register(sources.add_scalar())
        except Exception as problem:
            problems.append(problem)
        finally:
            done.set()

    thread = threading.Thread(target=register)
    thread.start()
    removed = 0
    while not done.wait(0.001):
        removed += len(remove(removable(list(cache_entries(folder)), older_than_days=0)))
    thread.join()
    assert problems == [] and removed + len(list(cache_entries(folder))) >= 2


@pytest.mark.parametrize(("answer", "code", "left"), [("y\n", 0, 0), ("n\n", 1, 1), ("\n", 1, 1)])
def test_on_a_terminal_clear_asks_first(folder, answer, code, left):
    add_entry(folder)
    ended, shown = taskmill_on_a_terminal("cache", "clear", answer=answer, TASKMILL_CACHE_DIR=str(folder))
    assert ended == code and "Remove 1 entry (100 bytes) from" in shown
    assert len(list(cache_entries(folder))) == left


def test_with_yes_nobody_is_asked(folder):
    add_entry(folder)
    ended, shown = taskmill_on_a_terminal("cache", "clear", "--yes", TASKMILL_CACHE_DIR=str(folder))
    assert ended == 0 and shown == "removed 1 entry (100 bytes); 0 kept\n"


@pytest.mark.parametrize("words", [["cache"], ["cache", "clear"]])
def test_a_folder_that_is_none_or_is_not_known_ends_with_1(tmp_path, words):
    file = tmp_path / "file"
    file.write_text("")
    done = taskmill(*words, TASKMILL_CACHE_DIR=str(file))
    assert done.returncode == 1 and str(file) in done.stderr and done.stdout == ""
    done = taskmill(*words, TASKMILL_CACHE_DIR=None, XDG_CACHE_HOME=None, HOME=None)
    assert done.returncode == 1 and "set TASKMILL_CACHE_DIR" in done.stderr


@pytest.mark.parametrize("words", [["empty"], ["--older-than", "3"], ["clear", "--older-than", "-1"], ["clear", "--older-than", "week"]])
def test_a_mistake_in_its_use_ends_with_2(folder, words):
    entry = add_entry(folder)
    done = taskmill("cache", *words, TASKMILL_CACHE_DIR=str(folder))
    assert done.returncode == 2 and done.stdout == "" and entry.exists()
