"""Workers that several cases share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ..errors import DeviceError
from ..worker import Worker


class Workers:
    """One open worker per platform. What a case leaves on a device is compiled code alone, so the next may use it."""

    def __init__(self) -> None:
        self._open: dict[str, Worker] = {}

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes every worker that is open."""
        while self._open:
            self._open.popitem()[1].close()

    @contextlib.contextmanager
    def lend(self, platform: str) -> Iterator[Worker]:
        """The worker of a platform. A device that failed meanwhile is closed: whoever asks next gets a new one."""
        if platform not in self._open:
            self._open[platform] = Worker(2, platform)
        try:
            yield self._open[platform]
        except DeviceError:
            self._open.pop(platform).close()
            raise
