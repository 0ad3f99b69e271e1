"""What a thread imports before anything else, so that no two wait for each other."""

import threading


def whole_first() -> None:
    """Import `scipy.sparse` in a thread that is not the main one, if it is not there yet.

    Its parts import one another. Where a thread begins with a part and another with the whole, each holds
    what the other waits for: Python lets one of them go on with a module that is half there, and its call
    fails.
    """
    if threading.current_thread() is not threading.main_thread():
        import scipy.sparse  # noqa: F401
