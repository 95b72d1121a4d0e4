"""Finds the scene tests of files and folders."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from .case import SceneTestCase


class SceneImportError(ImportError):
    """Files that cannot be imported, each named with its reason. ``details`` holds their tracebacks."""

    def __init__(self, failures: dict[Path, BaseException], found: Iterable[type[SceneTestCase]]):
        reasons = "; ".join(f"{file} cannot be imported ({type(problem).__name__}: {problem})" for file, problem in failures.items())
        names = ", ".join(scene.__name__ for scene in found)
        super().__init__(f"{reasons}; the other files have {names or 'no scenes'}")
        self.details = "\n".join("".join(traceback.format_exception(problem)) for problem in failures.values())


def find_scenes(*paths: Path) -> list[type[SceneTestCase]]:
    """The decorated SceneTestCase classes of Python files, and of folders with Python files, in order of definition.

    Raises FileNotFoundError, and SceneImportError after all files were tried.
    """
    scenes: list[type[SceneTestCase]] = []
    failures: dict[Path, BaseException] = {}
    for file in dict.fromkeys(file.resolve() for path in paths for file in _files(path)):
        try:
            scenes += scenes_of(_import(file))
        except KeyboardInterrupt:
            raise
        except BaseException as problem:  # SystemExit, and pytest's Skipped
            failures[file] = problem
    if failures:
        raise SceneImportError(failures, scenes)
    return scenes


def scenes_of(module: ModuleType) -> list[type[SceneTestCase]]:
    """The decorated SceneTestCase classes that ``module`` itself defines, each once, however many names it has."""
    return [value for value in dict.fromkeys(filter(is_scene, vars(module).values())) if value.__module__ == module.__name__]


def is_scene(value: object) -> bool:
    """Whether a value is a class that was itself decorated."""
    return inspect.isclass(value) and issubclass(value, SceneTestCase) and "_scene_level" in vars(value)


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(path.glob("*.py"))
    if path.is_file():
        return [path]
    raise FileNotFoundError(f"{path} is neither a file nor a folder")


def _import(file: Path) -> ModuleType:
    """Imports a file under a name of its own, its folder importable meanwhile, so that helpers beside it are found.

    Helpers are forgotten afterwards: those of another folder may have the same names.
    """
    name = f"taskmill_scene_{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    known = set(sys.modules)
    sys.modules[name] = module
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(file.parent))
        for helper in set(sys.modules) - known - {name}:
            if Path(getattr(sys.modules[helper], "__file__", None) or "/").parent == file.parent:
                del sys.modules[helper]
    return module
