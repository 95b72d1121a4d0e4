"""Scenes made from others: with inputs that the reference does not know of, with outputs to look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from taskmill.scene import RunOptions, SceneResult, SceneTestCase, TaskArgsBuilder, run_scene


def changed_after_golden(scene: type[SceneTestCase], change: Callable[[TaskArgsBuilder], None]) -> type[SceneTestCase]:
    """The scene, its arguments changed once the golden outputs are computed."""

    class Changed(scene):
        def generate_args(self, params):
            self.device_args = super().generate_args(params)
            return self.device_args

        def compute_golden(self, args, params):
            super().compute_golden(args, params)
            change(self.device_args)

    return Changed


def with_inputs(scene: type[SceneTestCase], change: Callable[[TaskArgsBuilder], None]) -> type[SceneTestCase]:
    """The scene, its arguments changed before anything reads them."""

    class Given(scene):
        def generate_args(self, params):
            args = super().generate_args(params)
            change(args)
            return args

    return Given


def recorded(scene: type[SceneTestCase]) -> type[SceneTestCase]:
    """The scene with a list ``outputs``: a dictionary of copies per round."""

    class Recorded(scene):
        outputs: list[dict[str, np.ndarray]] = []

        def compare_outputs(self, test_args, golden_args, output_names, params):
            self.outputs.append({name: getattr(test_args, name).copy() for name in output_names})
            return super().compare_outputs(test_args, golden_args, output_names, params)

    return Recorded


def flip_median(array: np.ndarray) -> None:
    """Negates one element whose magnitude is the median."""
    flat = array.reshape(-1)
    magnitude = np.abs(flat.astype(np.float32))
    place = int(np.argsort(magnitude)[magnitude.size // 2])
    flat[place] = -flat[place]


def check_with_flip(
    scene: type[SceneTestCase], outputs: Iterable[str], params: Mapping[str, Any], flip: Callable[[TaskArgsBuilder], None]
) -> SceneResult:
    """Check mode: the stages of ``scene``, whose arrays are ``outputs``; ``flip`` changes what the device, not the reference, is given."""

    class Flipped(scene):
        def generate_check_args(self, params):
            args = super().generate_check_args(params)
            self.honest = args.clone()
            flip(args)
            return args

        def check_stages(self, args, params):
            for name in outputs:
                np.copyto(getattr(self.honest, name), getattr(args, name))
            return super().check_stages(self.honest, params)

    Flipped._scene_level = scene._scene_level
    return run_scene(Flipped, scene.CASES[0], "a2a3sim", RunOptions(params=params, check=True))


def wrong_stages(result: SceneResult) -> list[str]:
    return [stage.name for stage in result.stages if not stage.passed]
