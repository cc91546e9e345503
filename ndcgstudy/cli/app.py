"""The one application that all commands hang on, and how a command ends."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Annotated, Any, NoReturn, TypeVar

import typer

T = TypeVar("T")

UsageError: Any = typer.BadParameter.__bases__[0]  # typer may carry its own copy of click

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

        typer.echo(installed("ndcgstudy"))
        raise typer.Exit


class Problems:
    """The mistakes in one call, gathered so that all are reported together.

    Examples
    --------
    >>> problems = Problems()
    >>> problems.attempt(int, "x") is None
    True
    >>> problems.messages
    ["invalid literal for int() with base 10: 'x'"]
    """

    def __init__(self) -> None:
        self.messages: list[str] = []

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
    sys.stderr.write(f"ndcgstudy: {' '.join(message.split())}\n")


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Let a request to end do what Ctrl-C does."""
    raise KeyboardInterrupt


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code: 0 done, 1 something is wrong, 2 bad input."""
    from ndcgstudy.cli import commands  # noqa: F401 - importing the commands hangs them on the app

    if threading.current_thread() is threading.main_thread():  # no other can set it
        signal.signal(signal.SIGTERM, _interrupt)
    try:
        words = sys.argv[1:] if arguments is None else arguments
        code = app(args=words or ["--help"], standalone_mode=False)
        sys.stdout.flush()
    except UsageError as error:
        say(error.format_message())
        code = error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        say("stopped")
        code = 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code or 0)
