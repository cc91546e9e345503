"""The one application that all commands hang on, and how a command ends."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from ndcgstudy.visible import message as one_line
from ndcgstudy.visible import visible

T = TypeVar("T")

UsageError: Any = typer.BadParameter.__bases__[0]  # typer may carry its own copy of click


class StoppedError(UsageError):  # type: ignore[misc]
    """Ctrl-C, with what to say of it."""

    exit_code = 130


app = typer.Typer(
    name="ndcgstudy",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Can a ranking measure tell search systems apart? nDCG above all."""
    if version:
        from importlib.metadata import version as installed

        emit(installed("ndcgstudy"))
        raise typer.Exit


class Problems:
    """The mistakes in one call, gathered so that all are reported together.

    Parameters
    ----------
    command
        The command that was called, for command lines that messages suggest.

    Examples
    --------
    >>> problems = Problems()
    >>> problems.attempt(int, "x") is None
    True
    >>> problems.messages
    ["invalid literal for int() with base 10: 'x'"]
    """

    def __init__(self, command: str = "gaps") -> None:
        self.messages: list[str] = []
        self.command = command

    def attempt(self, action: Callable[..., T], *args: Any, **kwargs: Any) -> T | None:
        """Return what `action` returns, or note why it refused and return None."""
        try:
            return action(*args, **kwargs)
        except OSError as error:
            name = "" if error.filename is None else f"{error.filename or repr('')}: "
            self.messages.append(f"{name}{error.strerror or error}")
        except ValueError as error:
            self.messages.extend(str(error).split("\n"))
        return None

    def stop_if_any(self) -> None:
        """End the command with exit code 2 where something was noted."""
        if self.messages:
            fail(*self.messages)


def fail(*messages: str, code: int = 2) -> NoReturn:
    """Write one line a message on stderr and end the command."""
    for message in messages:
        say(message)
    raise typer.Exit(code)


def say(message: str) -> None:
    """Write one line for people on stderr."""
    with suppress(OSError, ValueError, AttributeError):  # stderr may be closed or full
        sys.stderr.write(f"ndcgstudy: {one_line(message)}\n")


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Let a request to end do what Ctrl-C does."""
    raise KeyboardInterrupt


def emit(text: object = "", *, nl: bool = True) -> None:
    """Write text on stdout; whatever names it holds, only line breaks and tabs act on a terminal."""
    sys.stdout.write(visible(str(text), keep="\n\t") + ("\n" if nl else ""))


def run(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code: 0 done, 1 something is wrong, 2 bad input."""
    if threading.current_thread() is threading.main_thread():  # no other can set it
        signal.signal(signal.SIGTERM, _interrupt)
    if sys.stdout is None:  # closed by whoever started the program
        _quit("standard output is closed", 1)
    try:
        from ndcgstudy.cli import commands  # noqa: F401 - importing the commands hangs them on the app

        words = sys.argv[1:] if arguments is None else arguments
        code = app(args=words or ["--help"], standalone_mode=False)
        sys.stdout.flush()
        if code == StoppedError.exit_code:  # typer's, for Ctrl-C
            raise KeyboardInterrupt
    except UsageError as error:
        _quit(error.format_message(), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        _quit("stopped", 130)
    except BrokenPipeError:
        _quit("", 1)
    except MemoryError:
        _quit("not enough memory for this input", 1)
    except OSError as error:
        _quit(f"{error.filename or 'standard output'}: {error.strerror or error}", 1)
    sys.exit(code or 0)


def _quit(text: str, code: int) -> NoReturn:
    """End with a line on stderr, and let what is left for stdout go where it does no harm."""
    if text:
        say(text)
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
