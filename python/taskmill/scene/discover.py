"""Finds the scene tests of a file or a folder."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType

from .case import SceneTestCase


def find_scenes(path: Path) -> list[type[SceneTestCase]]:
    """The decorated SceneTestCase classes of ``path``, a Python file or a folder with Python files, in order of definition.

    Raises FileNotFoundError; whatever a file raises while it is imported passes through.
    """
    if path.is_dir():
        files = sorted(path.glob("*.py"))
    elif path.is_file():
        files = [path]
    else:
        raise FileNotFoundError(f"{path} is neither a file nor a folder")
    return [scene for file in files for scene in _scenes_of(_import(file.resolve()))]


def _import(file: Path) -> ModuleType:
    """Imports a file under a name of its own, its folder importable meanwhile, so that helpers beside it are found."""
    name = f"taskmill_scene_{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(file.parent))
    return module


def _scenes_of(module: ModuleType) -> list[type[SceneTestCase]]:
    return [
        value
        for value in vars(module).values()
        if inspect.isclass(value)
        and issubclass(value, SceneTestCase)
        and value.__module__ == module.__name__
        and "_scene_level" in vars(value)
    ]
