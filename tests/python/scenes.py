"""Scenes made from others: with inputs that the reference does not know of, with outputs to look at."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from taskmill.scene import SceneTestCase, TaskArgsBuilder


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
