"""What stands below the options in the help of each command: exit codes and examples."""

from __future__ import annotations

_MISUSE = "a mistake in the use of the command"


def _ending(well: str, not_well: str, *examples: str, misuse: str = _MISUSE) -> str:
    r"""Two paragraphs; one that starts with \b keeps its lines."""
    codes = [f"  {code}  {meaning}" for code, meaning in enumerate((well, not_well, misuse)) if meaning]
    commands = [f"  {example}" for example in examples]
    return "\n\n".join("\n".join(("\b", title, *lines)) for title, lines in (("Exit code:", codes), ("Examples:", commands)))


TASKMILL = _ending(
    "all is well",
    "it is not: a failed scene, a problem",
    "taskmill doctor",
    "taskmill run examples/vector",
    "taskmill run --help",
)
RUN = _ending(
    "all scenes passed",
    "a scene failed or could not run",
    "taskmill run examples/vector",
    "taskmill run examples/vector --platform a5sim --trace build/vector.json",
    "taskmill run examples/hello examples/vector --rounds 3 --json",
)
KERNELS = _ending(
    "shown",
    "",
    "taskmill run examples/vector --trace build/vector.json",
    "taskmill kernels build/vector.json",
    misuse=f"FILE is not a timeline of a run, or {_MISUSE}",
)
DEVICES = _ending(
    "a device can be used",
    "none can",
    "taskmill devices",
    "TASKMILL_SIM_EXECUTOR=seeded taskmill devices --json",
)
DOCTOR = _ending("no problem; there may be notes", "a problem", "taskmill doctor", "taskmill doctor --json")
CACHE = _ending(
    "shown",
    "the folder is not known or cannot be read",
    "taskmill cache",
    "taskmill cache --json",
    "taskmill cache clear",
)
CACHE_CLEAR = _ending(
    "cleared, or there was nothing to clear",
    "you said no, or a file could not be removed",
    "taskmill cache clear",
    "taskmill cache clear --older-than 30 --yes",
)
EXPLAIN = _ending(
    "explained",
    "",
    "taskmill explain",
    "taskmill explain 202",
    "taskmill explain ScopeDeadlock",
    misuse=f"there is no such code, or {_MISUSE}",
)
