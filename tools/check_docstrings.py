#!/usr/bin/env python3
"""Every public name has a docstring, or a comment in its header, and appears in the reference.

Python: the classes, functions, methods and properties of python/taskmill without a leading underscore (the command, which is used from
a shell, has its help), and the types of the extension module that docs/reference/python.md names; what a package exports has a line
there. C++: the headers of include/taskmill, their types, members, functions, constants and macros; an enumerator may go without."""

import ast
import importlib.util
import re
from pathlib import Path

import cpp_reference
from tree import arguments, files, finish

REFERENCE = "docs/reference/python.md"
DIRECTIVE = re.compile(r"^::: (\S+)$", re.MULTILINE)


def definitions(body, prefix=""):
    """(qualified name, node) of what a body defines for others."""
    for node in body:
        setter = any(isinstance(d, ast.Attribute) for d in getattr(node, "decorator_list", ()))
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef)) or node.name.startswith("_") or setter:
            continue
        yield prefix + node.name, node
        if isinstance(node, ast.ClassDef):
            yield from definitions(node.body, f"{prefix}{node.name}.")


def check_module(path, shown, wanted=None):
    tree = ast.parse(path.read_text())
    if not ast.get_docstring(tree):
        yield f"{shown}:1: the module has no docstring"
    for name, node in definitions(tree.body):
        if (wanted is None or name.split(".")[0] in wanted) and not ast.get_docstring(node):
            yield f"{shown}:{node.lineno}: {name} has no docstring"


def exports(path):
    """The names of __all__."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return ast.literal_eval(node.value)
    return []


def stub_of(root):
    """The extension's stub: in the tree, or made by its installation."""
    if (stub := root / "python/taskmill/_taskmill.pyi").exists():
        return stub
    package = importlib.util.find_spec("taskmill")
    return Path(package.origin).parent / "_taskmill.pyi" if package else stub


def check_python(root):
    named = set(DIRECTIVE.findall((root / REFERENCE).read_text()))
    for path in files(root, ("python/taskmill",), (".py",)):
        parts = path.relative_to("python").with_suffix("").parts
        if parts[1] in ("command", "__main__"):
            continue
        yield from check_module(root / path, path)
        if path.name == "__init__.py":
            package = ".".join(parts[:-1])
            for name in sorted(set(exports(root / path)) - {n.rpartition(".")[2] for n in named if n.startswith("taskmill.")}):
                yield f"{path}: {package}.{name} is not in {REFERENCE}"
    stub = stub_of(root)
    if not stub.exists():
        yield "the extension module is not there to ask (make build installs it)"
        return
    exported = {"RunConfig", "RunReport"} & set(exports(root / "python/taskmill/__init__.py"))
    wanted = exported | {n.split(".")[2] for n in named if n.startswith("taskmill._taskmill.")}
    yield from check_module(stub, stub.name, wanted)


def check_header(name, text, entries):
    shown = f"include/taskmill/{name}"
    page = cpp_reference.page(name, text, entries)
    if not text:
        yield f"{shown}:1: the header has no comment"
    for entry in entries:
        if f"\n## {entry.name}\n" not in page:
            yield f"{shown}:{entry.line}: {entry.name} is not in the reference"
        for one, title in [(entry, entry.name), *((member, f"{entry.name}::{member.name}") for member in entry.members)]:
            if not one.text and one.kind != "enumerator":
                yield f"{shown}:{one.line}: {title} has no comment"


def main():
    root = arguments(__doc__.split("\n")[0]).root
    headers = cpp_reference.read_headers(root / "include/taskmill")
    findings = [*check_python(root)]
    for name, (text, entries) in headers.items():
        findings += check_header(name, text, entries)
    count = sum(1 + len(entry.members) for _, entries in headers.values() for entry in entries)
    finish(findings, f"{count} names of {len(headers)} headers and the Python package are documented")


if __name__ == "__main__":
    main()
