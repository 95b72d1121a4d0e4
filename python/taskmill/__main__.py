"""``python -m taskmill`` is the command ``taskmill``."""

from .command import main

main()
