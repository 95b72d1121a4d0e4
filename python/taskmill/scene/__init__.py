"""Scene tests: a callable, its inputs and its expected outputs in one class, run by ``taskmill run``."""

from ..callables import In, InOut, Out
from .args import Scalar, TaskArgsBuilder, TensorArg
from .case import SceneTestCase, scene_test
from .compare import Stage
from .discover import find_scenes
from .result import SceneResult
from .runner import RunOptions, run_scene

__all__ = [
    "In",
    "InOut",
    "Out",
    "RunOptions",
    "Scalar",
    "SceneResult",
    "SceneTestCase",
    "Stage",
    "TaskArgsBuilder",
    "TensorArg",
    "find_scenes",
    "run_scene",
    "scene_test",
]
