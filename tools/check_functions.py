#!/usr/bin/env python3
"""No function is longer than 100 lines (60 is the aim; -v lists those above it). C++ by its braces, Python by its syntax tree."""

import ast
import re

from tree import CPP, arguments, files, finish, without_comments

LIMIT = 100
AIM = 60
CONTAINER = re.compile(
    r'(?:\[\[[^\]]*\]\]\s*|(?:inline|export|typedef|static|constexpr|const)\b\s*)*'
    r'(?:(?:namespace|class|struct|union|enum)\b|extern\s*""\s*$)'
)


def without_preprocessor(text):
    """Blanks directives with their continued lines; line numbers stay."""
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.MULTILINE)


def without_template_heads(header):
    """`template <class T, ...>` says class without being one."""
    while match := re.search(r"\btemplate\s*<", header):
        depth, end = 1, match.end()
        while depth and end < len(header):
            depth += {"<": 1, ">": -1}.get(header[end], 0)
            end += 1
        header = header[: match.start()] + header[end:]
    return header


def closing(text, position):
    """Position after the brace that closes the one at `position`."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, position):
        depth += 1 if match.group(0) == "{" else -1
        if depth == 0:
            return match.end()
    return len(text)


def is_function(header):
    return "(" in header and not header.endswith(("=", ",")) and not CONTAINER.match(header)


def name_of(header):
    """The word before the first parenthesis; a macro (TEST) with its own arguments."""
    words = re.findall(r"[~\w:]+", header.split("(", 1)[0])
    if not words or words[-1].isupper():
        return header.split(")", 1)[0] + ")"
    return words[-1]


def cpp_functions(text):
    """(name, first line, lines) of every function body outside other functions."""
    text = without_preprocessor(without_comments(text, strings=False))
    start = position = 0
    while match := re.compile(r"[{};]").search(text, position):
        header = without_template_heads(text[start : match.start()]).strip()
        position = match.end()
        if match.group(0) == "{" and is_function(header):
            position = closing(text, match.start())
            # A member initialiser in braces: the body comes after it.
            while (following := re.compile(r"\s*(?:,[^{};]*)?\{").match(text, position)) is not None:
                position = closing(text, following.end() - 1)
            first = text.count("\n", 0, re.compile(r"\s*").match(text, start).end()) + 1
            yield name_of(header), first, text.count("\n", 0, position) + 2 - first
        elif match.group(0) == "{" and not CONTAINER.match(header):
            position = closing(text, match.start())
        start = position


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def main():
    options = arguments(__doc__, verbose={"action": "store_true", "help": f"list functions above {AIM} lines"})
    findings, long, count = [], [], 0
    for path in files(options.root, ("src", "include", "tests", "python", "bench", "examples", "tools"), (*CPP, ".py")):
        text = (options.root / path).read_text()
        for name, line, length in python_functions(text) if path.suffix == ".py" else cpp_functions(text):
            count += 1
            told = f"{path.as_posix()}:{line}: {name} has {length} lines"
            if length > LIMIT:
                findings.append(f"{told}, {LIMIT} are the limit")
            elif length > AIM:
                long.append(told)
    if options.verbose:
        print("\n".join(long))
    finish(findings, f"{count} functions, {len(long)} above {AIM} lines, none above {LIMIT}")


if __name__ == "__main__":
    main()
