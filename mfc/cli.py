"""`mfc`: parse a command line, run one command, return its exit code.

0 all hold; 1 a violation or a failed proof; 2 bad input; 3 vacuous, undecided or unfinished.
"""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from spec.language.errors import ConditionError

BAD_INPUT = 2
GONE = 128 + 13  # as a shell reports a process that a closed pipe ends


def parser() -> argparse.ArgumentParser:
    """Return the parser of every command."""
    top = argparse.ArgumentParser(prog="mfc", description="Mean field control of Transformer layers, executable.")
    commands = top.add_subparsers(dest="command", required=True)

    verify = commands.add_parser("verify", help="check theorems and write the ledger")
    verify.add_argument("names", nargs="*", metavar="SLUG|CHAPTER", help="all theorems without names")
    verify.add_argument("--profile", choices=("quick", "standard", "deep"), default="standard")
    verify.add_argument("--seed", type=int, metavar="INTEGER", default=0)
    verify.add_argument("--workers", type=_positive, metavar="N", default=os.cpu_count() or 1)
    verify.add_argument("--json", type=Path, metavar="PATH", help="where to write the ledger")
    verify.add_argument("--instance", metavar="DESCRIPTOR", help="replay one batch of one theorem")
    verify.add_argument("--exhibit", metavar="NAME", help="replay one named exact instance of one theorem")
    verify.add_argument("--real", action="store_true", help="replay the trained Transformers of one theorem")

    show = commands.add_parser("show", help="a theorem's statement, assumptions, symbols, bound and its value")
    show.add_argument("slug")
    show.add_argument("--claim", help="another claim than the headline")
    show.add_argument(
        "--at", action="append", default=[], metavar="NAME=VALUE", help="a symbol's value: 3, 0.1, 1/3, inf; repeatable"
    )
    show.add_argument("--json", action="store_true")

    listed = commands.add_parser("list", help="every theorem with its title")
    listed.add_argument("--claims", action="store_true", help="with their claims: what other proofs take as premises")

    new = commands.add_parser("new", help="write the three files of a new theorem")
    new.add_argument("slug", metavar="CHAPTER/SLUG")
    new.add_argument("--new-chapter", action="store_true", help="begin a chapter that does not exist yet")
    new.add_argument("--root", type=Path, default=Path(), help="the repository (default: here)")
    return top


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid: needs an integer, found {text!r}") from None
    if number < 1:
        raise argparse.ArgumentTypeError(f"needs at least 1, found {number}")
    return number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without Greek letters gets their names
            stream.reconfigure(errors="namereplace")
    options = parser().parse_args(arguments)
    try:
        _refuse_shadowing()
        code = _run(options)
        sys.stdout.flush()
    except (ConditionError, NotImplementedError) as error:  # the latter: a theorem's file that is not filled yet
        print(error, file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:  # the reader has gone (`mfc show … | head`): nothing is left to be said, not at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return GONE
    return code


def _run(options: argparse.Namespace) -> int:
    """Run the command, importing what it alone needs."""
    if options.command == "verify":
        from mfc import verify

        return verify.run(options)
    if options.command == "new":
        from mfc import new

        return new.run(options)
    from mfc import show

    return show.run(options) if options.command == "show" else show.listing(options)


def _refuse_shadowing() -> None:
    """Refuse a `spec` or `impl` that is another project's: the top-level names are common words."""
    import impl
    import spec

    home = Path(__file__).resolve().parent.parent
    for package in (spec, impl):
        found = Path(str(package.__file__)).resolve().parent.parent
        if found != home:
            raise ShadowedPackage(
                f"the package {package.__name__} of {home}", f"one in {found}", "take that folder off the path"
            )


class ShadowedPackage(ConditionError):
    """Another package of the same top-level name stands before ours on the path."""
