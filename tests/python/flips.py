"""Check mode in which the device is given one wrong value that the reference does not know of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from taskmill.scene import RunOptions, SceneResult, SceneTestCase, TaskArgsBuilder, run_scene


def check_with_flip(
    scene: type[SceneTestCase], outputs: Iterable[str], params: Mapping[str, Any], flip: Callable[[TaskArgsBuilder], None]
) -> SceneResult:
    """Runs the stages of ``scene``, whose arrays are ``outputs``; ``flip`` changes what the device is given."""

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


def flip_median(array: np.ndarray) -> None:
    """Negates one element whose magnitude is the median."""
    flat = array.reshape(-1)
    magnitude = np.abs(flat.astype(np.float32))
    place = int(np.argsort(magnitude)[magnitude.size // 2])
    flat[place] = -flat[place]


def wrong_stages(result: SceneResult) -> list[str]:
    return [stage.name for stage in result.stages if not stage.passed]
