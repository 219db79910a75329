"""What files, imports, tests and documents keep to, as functions that return complaints: none when all is well.

Every lint has a planted fault in `test_lints_fail.py`.
"""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path

LAYERS = ("spec", "impl", "properties", "mfc")
BESIDE = ("tests", "benchmarks")
HEAVY = {"spec": ("torch", "scipy", "sklearn")}
# Brackets keep these patterns from finding themselves.
MACHINE = re.compile(r"(?<![\w.])/(?:[w]ork|[t]mp|[r]oot|[h]ome)\b")
PROCESS = re.compile(r"\b(?:(?i:[i]ssues?|[a]gents?|[h]elpers?|[s]essions?|[c]oordinators?)|[F]IXME|[X]XX)\b")
UNFINISHED = re.compile(r"\b[T]ODO\b")
UNFILLED = re.compile(r"@[A-Z]+@")


# Files.


def sources(root: Path) -> Iterator[Path]:
    """Yield the repository's files: all but what .gitignore names."""
    lines = (root / ".gitignore").read_text().splitlines()
    ignored = [".git", *(line.rstrip("/") for line in lines if line)]
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not any(fnmatch(f, pattern) for pattern in ignored))
        yield from (Path(folder) / n for n in sorted(names) if not any(fnmatch(n, pattern) for pattern in ignored))


def missing_files(root: Path, names: Iterable[str]) -> list[str]:
    return [f"{name} is missing" for name in names if not (root / name).is_file()]


def lone_files(root: Path) -> list[str]:
    """A theorem is a name in three trees: whichever has it, the others have it too."""
    specs = {
        (p.parent.name, p.stem)
        for p in (root / "spec").glob("*/*.py")
        if p.parent.name not in ("language", "objects", "results") and not p.stem.startswith("_")
    }
    notes = {(p.parent.name, p.stem) for p in (root / "proofs_notes").glob("*/*.md")}
    tests = {(p.parent.name, p.stem.removeprefix("test_")) for p in (root / "properties").glob("*/test_*.py")}
    strays = {p for p in (root / "proofs_notes").rglob("*") if p.is_file() and p.parent.parent != root / "proofs_notes"}
    complaints = [f"{p.relative_to(root)} is no proofs_notes/chapter/name.md" for p in sorted(strays)]
    for chapter, name in sorted(specs | notes | tests):
        places = {
            f"spec/{chapter}/{name}.py": specs,
            f"proofs_notes/{chapter}/{name}.md": notes,
            f"properties/{chapter}/test_{name}.py": tests,
        }
        there = [place for place, found in places.items() if (chapter, name) in found]
        complaints += [f"{there[0]} has no {place}" for place in places if place not in there]
    return complaints


def untested_properties(root: Path) -> list[str]:
    """Every property is tested as all are."""
    files = sorted((root / "properties").glob("*/test_*.py"))
    untested = [p for p in files if "\nTestTheorem = suite(PROPERTY)\n" not in p.read_text()]
    return [f"{p.relative_to(root)} lacks TestTheorem = suite(PROPERTY)" for p in untested]


def long_files(root: Path, most: int, exempt: Mapping[str, str]) -> list[str]:
    """No file is longer than `most` lines; an exemption is one that is needed, with its reason."""
    complaints = []
    for path in (p for layer in LAYERS for p in sorted((root / layer).rglob("*.py"))):
        name, length = path.relative_to(root).as_posix(), len(path.read_text().splitlines())
        if length > most and name not in exempt:
            complaints.append(f"{name} has {length} lines, more than {most}")
        if length <= most and name in exempt:
            complaints.append(f"{name} needs no exemption")
    return complaints + [f"{name} is exempt and does not exist" for name in exempt if not (root / name).exists()]


def process_words(root: Path, foreign: Iterable[str] = ()) -> list[str]:
    """Files speak of the project: no machine's paths, nothing of how it was made, nothing unfinished but templates."""
    complaints = []
    for path in sources(root):
        name = path.relative_to(root).as_posix()
        if name in foreign:
            continue
        template = name.startswith("mfc/templates/")
        patterns = [
            MACHINE,
            PROCESS,
            *([] if template else [UNFINISHED]),
            *([UNFILLED] if path.suffix == ".md" else []),
        ]
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            complaints += [f"{name}:{number} says {m.group()}" for pattern in patterns for m in pattern.finditer(line)]
    return complaints


# Imports.


def imported(path: Path) -> set[str]:
    """Return the modules that a file imports, by statement or by a literal name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__") and node.args:
            first = node.args[0]
            first = first.values[0] if isinstance(first, ast.JoinedStr) and first.values else first
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.add(first.value)
    return found


def upward_imports(root: Path) -> list[str]:
    """Imports point one way, spec ← impl ← properties ← mfc, and a layer imports nothing that is too heavy for it."""
    complaints = []
    for number, layer in enumerate(LAYERS):
        refused = {*LAYERS[number + 1 :], *BESIDE, *HEAVY.get(layer, ())}
        for path in sorted((root / layer).rglob("*.py")):
            found = sorted(m for m in imported(path) if m.partition(".")[0] in refused)
            complaints += [f"{path.relative_to(root)} imports {module}" for module in found]
    return complaints


def loaded(code: str, module: str, root: Path) -> list[str]:
    """Running a piece of code loads no `module`."""
    code = f"{code}\nimport sys\nprint('loaded' if {module!r} in sys.modules else 'free', file=sys.stderr)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    last = (done.stderr.splitlines() or [""])[-1]
    return [] if done.returncode == 0 and last == "free" else [f"{module}: {last}"]


# Tests.

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _own(function: _Function) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body, without those of functions inside it."""
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _Function):
            stack += ast.iter_child_nodes(node)


def _asserts(function: _Function, functions: Mapping[str, _Function], seen: frozenset[str] = frozenset()) -> bool:
    """Say whether a function asserts something, itself or through functions of its file."""
    for node in _own(function):
        if isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant):
            return True
        if isinstance(node, ast.Call):
            name = _called(node)
            if name in ("raises", "warns") or (name.startswith("assert_") and name not in functions):
                return True
        local = node.id if isinstance(node, ast.Name) else ""
        if local in functions and local not in seen and _asserts(functions[local], functions, seen | {local}):
            return True
    return False


def idle_tests(name: str, text: str) -> list[str]:
    """Every test asserts something, returns nowhere before its end and looks at each of its parameters."""
    functions = {f.name: f for f in ast.walk(ast.parse(text)) if isinstance(f, _Function)}
    complaints = []
    for function in (f for f in functions.values() if f.name.startswith("test_")):
        if not _asserts(function, functions, frozenset({function.name})):
            complaints.append(f"{function.name} asserts nothing")
        if any(isinstance(node, ast.Return) for node in _own(function)):
            complaints.append(f"{function.name} returns")
        read = {node.id for node in ast.walk(ast.Module(function.body, [])) if isinstance(node, ast.Name)}
        unused = [a.arg for a in (*function.args.args, *function.args.kwonlyargs) if a.arg not in {"self", *read}]
        complaints += [f"{function.name} never looks at {argument}" for argument in unused]
    return [f"{name}: {complaint}" for complaint in complaints]


# Documents.


def stale_document(path: Path, lines: Iterable[str]) -> list[str]:
    """A generated document is what generating it would give."""
    if not path.is_file():
        return [f"{path.name} is missing: run `make docs`"]
    found, wanted = path.read_text().splitlines(), list(lines)
    pairs = zip([*found, ""], [*wanted, ""], strict=False)
    first = next((number for number, (old, new) in enumerate(pairs, 1) if old != new), 0)
    return [] if found == wanted else [f"{path.name} differs from line {first} on: run `make docs`"]


def _normal(name: str) -> str:
    return re.sub("[-_.]+", "-", name).lower()


def dependencies(pyproject: str) -> set[str]:
    """Return every direct dependency, optional ones too."""
    project = tomllib.loads(pyproject)["project"]
    listed = [*project["dependencies"], *(d for extra in project["optional-dependencies"].values() for d in extra)]
    return {_normal(re.split(r"[^\w.-]", text, maxsplit=1)[0]) for text in listed}


def undocumented_dependencies(readme: str, pyproject: str) -> list[str]:
    """README's table of dependencies names what pyproject.toml asks for, and nothing else."""
    table = readme.partition("\n## Dependencies\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| *([^|]+?) *\|", table, re.MULTILINE)[2:]
    named, needed = {_normal(name.strip(" `")) for row in rows for name in row.split(",")}, dependencies(pyproject)
    complaints = [f"README's table lacks {name}" for name in sorted(needed - named)]
    return complaints + [f"README's table has {name}, which is no dependency" for name in sorted(named - needed)]


def unpinned_dependencies(constraints: str, pyproject: str) -> list[str]:
    """constraints.txt pins every direct dependency to one version."""
    pinned = {_normal(name) for name in re.findall(r"^([\w.-]+)==\S+$", constraints, re.MULTILINE)}
    return [f"constraints.txt does not pin {name}" for name in sorted(dependencies(pyproject) - pinned)]
