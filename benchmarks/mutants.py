"""Would a test notice? Change the program in one place at a time and run the tests that pass there.

    python benchmarks/mutants.py [ROOM ...] [--share 0.2] [--seed 0] [--most 25] [--also TESTS ...]
    python benchmarks/mutants.py training/descent.py [--tests tests/training/test_descent.py]

A mutant is one change: another comparison, another sign, another number, a condition turned round, a
statement left out. The rooms are information, learning, tables, engine, certainty and training; a file of a
room may be named instead.
The tests are those of the room, its doctests, and what --also names, or only what --tests names; of these the
ones that run the changed line, the quickest first (as many as --most says), until one fails. A mutant that no
test notices has survived, and is printed. Everything is loaded once; every mutant lives in a process of its
own, with a bound on time and memory. What was tried is kept in --record, so that a run goes on where it
stopped; --again tries the survivors of a record once more. Exit code 1 if one survived.
"""

import argparse
import ast
import gc
import json
import os
import pickle
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).parents[1]
ROOMS = ("information", "learning", "tables", "engine", "certainty", "training")
SECONDS, BYTES = 20, 6_000_000_000
OTHER = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Add, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
PAIRS = [("min", "max"), ("any", "all"), ("argmin", "argmax"), ("minimum", "maximum"), ("zeros", "ones")]
NAMES = {a: b for pair in PAIRS for a, b in (pair, pair[::-1])}


def places(tree):
    """Yield the nodes that may be changed: code of functions, and constants of the module."""
    left_out = set()
    for node in ast.walk(tree):
        aside = []
        if isinstance(node, ast.FunctionDef):
            aside = [node.args, node.returns, *node.decorator_list]
        elif isinstance(node, ast.AnnAssign):
            aside = [node.annotation]
        elif isinstance(node, ast.Raise):
            aside = [node.exc, node.cause]
        elif isinstance(node, ast.keyword) and node.arg == "strict":  # zip's own check of what is so
            aside = [node.value]
        elif isinstance(node, (ast.JoinedStr, ast.arguments)):
            aside = ast.iter_child_nodes(node)
        for apart in aside:
            left_out |= {id(each) for each in ast.walk(apart)} if apart is not None else set()
    inside = {
        id(each) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for each in ast.walk(node)
    }
    module = {id(each) for line in tree.body if isinstance(line, ast.Assign) for each in ast.walk(line.value)}
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in inside | module and id(node) not in left_out and hasattr(node, "lineno"):
            yield number, node


def changes(node):
    """Say which changes a node allows."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OTHER:
        yield "comparison"
    elif isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in OTHER:
        yield "operator"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
        yield "sign"
    elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        yield "constant"
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)) and not isinstance(node.test, ast.Compare):
        yield "condition"
    elif isinstance(node, (ast.Name, ast.Attribute)) and _word(node) in NAMES:
        yield "name"
    elif isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield "left out"


def _word(node):
    return node.id if isinstance(node, ast.Name) else node.attr


def change(tree, number):
    """Change a tree in one place."""
    node = list(ast.walk(tree))[number]
    [kind] = changes(node)
    if kind == "comparison":
        node.ops = [OTHER[type(node.ops[0])]()]
    elif kind == "operator":
        node.op = OTHER[type(node.op)]()
    elif kind == "sign":
        if isinstance(node.op, ast.USub):
            node.op = ast.UAdd()
        else:
            node.operand = ast.UnaryOp(node.op, node.operand)
    elif kind == "constant":
        value = node.value
        node.value = (
            not value
            if isinstance(value, bool)
            else value + 1
            if isinstance(value, int)
            else value * 2 or 1.0
        )
    elif kind == "condition":
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif kind == "name":
        setattr(node, "id" if isinstance(node, ast.Name) else "attr", NAMES[_word(node)])
    else:
        for parent in ast.walk(tree):
            for lines in (getattr(parent, name, None) for name in ("body", "orelse", "finalbody")):
                if isinstance(lines, list) and node in lines:
                    lines[lines.index(node)] = ast.copy_location(ast.Pass(), node)
    return ast.fix_missing_locations(tree)


def mutants_of(path):
    """List every mutant of a file: its number, line, column and kind of change."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for number, node in places(tree):
        for kind in changes(node):
            yield {
                "file": str(path.relative_to(ROOT)), "number": number, "line": node.lineno,
                "column": node.col_offset, "kind": kind,
            }  # fmt: skip


def codes(code):
    """Return the code of every function in a code, by name and line."""
    found = {}
    for each in code.co_consts:
        if isinstance(each, CodeType):
            found |= {(each.co_qualname, each.co_firstlineno): each} | codes(each)
    return found


def put_in(mutant, functions):
    """Let the loaded program be the mutant."""
    path = ROOT / mutant["file"]
    tree = change(ast.parse(path.read_text(encoding="utf-8")), mutant["number"])
    for key, code in codes(compile(tree, str(path), "exec")).items():
        for function in functions.get((str(path), *key), ()):
            function.__code__ = code
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for line in tree.body:  # constants of the module, wherever they are known
        if not isinstance(line, ast.Assign) or not line.lineno <= mutant["line"] <= line.end_lineno:
            continue
        value = eval(compile(ast.Expression(line.value), str(path), "eval"), vars(sys.modules[name]))
        for target in line.targets:
            before = getattr(sys.modules[name], target.id)
            for module in [*sys.modules.values()]:
                if getattr(module, target.id, None) is before:
                    setattr(module, target.id, value)


class Driver:
    """Takes the place of pytest's loop over the tests."""

    def __init__(self, mutants, record, most):
        self.mutants, self.record, self.most = mutants, record, most
        self.found = []

    def pytest_runtestloop(self, session):
        files = {str(ROOT / mutant["file"]) for mutant in self.mutants}
        functions = defaultdict(list)
        for each in gc.get_objects():
            if isinstance(each, FunctionType) and each.__code__.co_filename in files:
                code = each.__code__
                functions[code.co_filename, code.co_qualname, code.co_firstlineno].append(each)
        seconds, lines = self._passing(session.items, files)
        print(
            f"{len(session.items)} tests, {sum(seconds.values()):.0f} s, {len(self.mutants)} mutants",
            flush=True,
        )
        with self.record.open("a") as record:
            for mutant in self.mutants:
                place = (str(ROOT / mutant["file"]), mutant["line"])
                items = [item for item in session.items if place in lines.get(item.nodeid, ())]
                items = sorted(items, key=lambda item: seconds[item.nodeid])[: self.most]
                end = self._end(mutant, items, functions, sum(seconds[item.nodeid] for item in items))
                self.found.append({**mutant, "end": end})
                record.write(json.dumps(self.found[-1]) + "\n")
                record.flush()
                if end == "survived":
                    print("survived:", told(mutant), flush=True)
        return True

    def _passing(self, items, files):
        """Run every test once, in a process of its own: how long it takes, and the lines it runs."""
        with tempfile.TemporaryFile() as file:
            if (child := os.fork()) == 0:
                seconds, lines = {}, {}
                for item in items:
                    passed = set()

                    def local(frame, event, _, passed=passed):
                        passed.add((frame.f_code.co_filename, frame.f_lineno))
                        return local

                    def watch(frame, event, argument, local=local):
                        return local(frame, event, argument) if frame.f_code.co_filename in files else None

                    begun = time.perf_counter()
                    sys.settrace(watch)
                    reports = quietly(item)
                    sys.settrace(None)
                    if all(report.outcome != "failed" for report in reports):
                        seconds[item.nodeid], lines[item.nodeid] = time.perf_counter() - begun, passed
                    else:
                        print("fails by itself:", item.nodeid, flush=True)
                pickle.dump((seconds, lines), file)
                file.flush()
                os._exit(0)
            os.waitpid(child, 0)
            file.seek(0)
            return pickle.load(file)

    def _end(self, mutant, items, functions, usual):
        """Run tests on a mutant; says whether one noticed."""
        if not items:
            return "no test"
        if (child := os.fork()) == 0:
            try:
                signal.alarm(int(SECONDS + 2 * usual))
                resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
                put_in(mutant, functions)
                for item in items:
                    if any(report.outcome == "failed" for report in quietly(item)):
                        os._exit(1)
            except BaseException:  # noqa: BLE001 (whatever it is, it is noticed)
                os._exit(2)
            os._exit(0)
        return "survived" if os.waitpid(child, 0)[1] == 0 else "noticed"


def quietly(item):
    return runtestprotocol(item, log=False, nextitem=None)


def told(mutant):
    """Return a mutant as a line to read."""
    tree = ast.parse((ROOT / mutant["file"]).read_text(encoding="utf-8"))
    node = list(ast.walk(tree))[mutant["number"]]
    shown = node.test if mutant["kind"] == "condition" else node
    line = (ROOT / mutant["file"]).read_text(encoding="utf-8").splitlines()[mutant["line"] - 1].strip()
    return f"{mutant['file']}:{mutant['line']} {mutant['kind']} [{ast.unparse(shown)[:60]}] in: {line[:100]}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rooms", nargs="*", default=ROOMS, metavar="room", help="or a file of one")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", type=Path, default=Path("mutants.jsonl"))
    parser.add_argument("--most", type=int, help="tests for a mutant (default: all that run the line)")
    parser.add_argument("--also", nargs="*", default=[], help="further tests")
    parser.add_argument("--tests", nargs="*", help="the only tests (default: those of the room)")
    parser.add_argument("--again", type=Path, help="try the survivors of this record once more")
    options = parser.parse_args()
    done = _read(options.record)
    for room in options.rooms:
        place, top = ROOT / "pgm_nb" / room, Path(room).parts[0]
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
        all_of_them = [mutant for path in files for mutant in mutants_of(path)]
        chosen = random.Random(options.seed).sample(all_of_them, round(options.share * len(all_of_them)))
        if options.again:
            alive = [key(each) for each in _read(options.again).values() if each["end"] != "noticed"]
            chosen = [mutant for mutant in all_of_them if key(mutant) in alive]
        left = [mutant for mutant in chosen if key(mutant) not in done]
        print(f"{room}: {len(chosen)} of {len(all_of_them)} mutants, {len(left)} to try", flush=True)
        if left:
            driver = Driver(left, options.record, options.most)
            tests = options.tests or [str(ROOT / part / top) for part in ("tests", "pgm_nb")]
            words = [*tests, *options.also]
            pytest.main(
                ["-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist", *words], plugins=[driver]
            )
            done |= {key(each): each for each in driver.found}
        counts = Counter((done[key(each)]["end"]) for each in chosen if key(each) in done)
        print(
            f"{room}: " + ", ".join(f"{number} {end}" for end, number in sorted(counts.items())), flush=True
        )
    return int(any(each["end"] != "noticed" for each in done.values()))


def key(mutant):
    return mutant["file"], mutant["number"], mutant["line"], mutant["kind"]


def _read(path):
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {key(each): each for each in map(json.loads, lines)}


if __name__ == "__main__":
    raise SystemExit(main())
