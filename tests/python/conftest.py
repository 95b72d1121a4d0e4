"""Fixtures of the Python suite: kernels are compiled once per session, into a cache of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sources import Sources
from taskmill import Worker

PLATFORMS = ["a2a3sim", "a5sim"]


@pytest.fixture(scope="session", autouse=True)
def cache_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiled kernels of this session: no test depends on, or leaves anything in, the user's cache."""
    folder = tmp_path_factory.mktemp("cache")
    before = os.environ.get("TASKMILL_CACHE_DIR")
    os.environ["TASKMILL_CACHE_DIR"] = str(folder)
    yield folder
    if before is None:
        del os.environ["TASKMILL_CACHE_DIR"]
    else:
        os.environ["TASKMILL_CACHE_DIR"] = before


@pytest.fixture(params=PLATFORMS)
def platform(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def worker() -> Worker:
    with Worker(platform="a2a3sim") as opened:
        yield opened


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    return Sources(tmp_path)


@pytest.fixture(scope="session")
def examples() -> Path:
    return Path(__file__).resolve().parents[2] / "examples"
