"""The C++ reference: what doxygen reads from the public headers, as one Markdown page per header in the order of the header."""

import html
import itertools
import re
import subprocess
import tempfile
import textwrap
import xml.etree.ElementTree as xml
from dataclasses import dataclass, field
from pathlib import Path

SETTINGS = """GENERATE_XML=YES GENERATE_HTML=NO GENERATE_LATEX=NO XML_PROGRAMLISTING=NO EXTRACT_ALL=YES AUTOLINK_SUPPORT=NO
MACRO_EXPANSION=YES QUIET=YES WARN_IF_UNDOCUMENTED=NO WARN_AS_ERROR=YES"""
TYPES = {"class", "struct", "concept"}
INTERNAL = re.compile(r"_$|^operator==|^@|^TASKMILL_(X|JOIN_AGAIN_)$")  # `_` at the end marks what is a header's own
# What doxygen's elements are in Markdown; others are an error, so that nothing is lost silently.
ELEMENTS = {
    "para": lambda inside: inside.strip() + "\n\n",
    "computeroutput": lambda inside: f"`{html.unescape(inside)}`",
    "itemizedlist": lambda inside: f"\n\n{inside}\n",
    "listitem": lambda inside: f"- {inside.strip()}\n",
    "programlisting": lambda inside: f"\n\n```cpp\n{html.unescape(inside).strip()}\n```\n\n",
    "sp": lambda inside: " ",
    **dict.fromkeys(("briefdescription", "detaileddescription", "codeline", "highlight", "ref"), lambda inside: inside),
}


@dataclass
class Entry:
    """A public name: a type or enumeration with its members, a function with its overloads, a constant or a macro."""

    kind: str
    name: str
    header: str
    line: int
    text: str
    signatures: list[str]
    members: list["Entry"] = field(default_factory=list)


def escaped(text):
    return (text or "").replace("&", "&amp;").replace("<", "&lt;").replace("*", "&#42;")


def markdown(node):
    inside = escaped(node.text) + "".join(markdown(child) + escaped(child.tail) for child in node)
    return ELEMENTS[node.tag](inside)


def plain(node):
    return "" if node is None else " ".join("".join(node.itertext()).replace("taskmill::", "").split())


def declaration(path, line):
    """The header's own words from a line on, without the body."""
    lines = path.read_text().splitlines()
    first = line - 1
    while not lines[first].strip() or lines[first].lstrip().startswith("//"):
        first += 1  # doxygen counts a line less behind some macros
    while lines[first - 1].lstrip().startswith("template <"):
        first -= 1
    text = ""
    for told in lines[first:]:
        text += re.sub(r"\s*///<.*", "", told) + "\n"
        if re.search(r";$| \{$| \{ |\{\}$", text.rstrip()):
            break
    return re.sub(r"(?s)(?<=\))\s+: .*| \{(\n| .*)?$|;\s*$", "", textwrap.dedent(text).rstrip()).rstrip()


def signature_of(node, name, path, line):
    if node.get("kind") == "define":
        parameters = ", ".join(plain(parameter.find("defname")) for parameter in node.findall("param"))
        return f"#define {name}" + (f"({parameters})" if parameters else "")
    if node.tag == "enumvalue":  # a macro may have made it
        return f"{name} {plain(node.find('initializer'))}".strip()
    return declaration(path, line)


def entry_of(node):
    name, place = plain(node.find("compoundname" if node.tag == "compounddef" else "name")), node.find("location")
    path, line = (Path(place.get("file")), int(place.get("line"))) if place is not None else (Path(), 0)
    text = "".join(markdown(node.find(part)) for part in ("briefdescription", "detaileddescription")).strip()
    return Entry(node.get("kind", "enumerator"), name, path.name, line, text, [signature_of(node, name, path, line)])


def is_public(node):
    deleted = re.search(r"= ?delete$", plain(node.find("argsstring")))
    hidden = node.get("kind") == "friend" or INTERNAL.search(plain(node.find("name")))
    return node.get("prot", "public") == "public" and not deleted and not hidden


def members_of(node):
    """Public members in the order of the header; neighbours of one name are overloads and share the first one's comment."""
    found = []
    for child in filter(is_public, node.findall("sectiondef/memberdef")):
        entry = entry_of(child)
        entry.members = [entry_of(value) for value in filter(is_public, child.findall("enumvalue"))]
        found.append(entry)
    merged = []
    for _, (first, *overloads) in itertools.groupby(sorted(found, key=lambda e: (e.header, e.line)), key=lambda e: (e.header, e.name)):
        first.signatures += [signature for other in overloads for signature in other.signatures]
        merged.append(first)
    return merged


def read_headers(include):
    """Name of each header of a folder -> (its own comment, its public entries in order)."""
    comments, entries = {}, []
    with tempfile.TemporaryDirectory() as output:
        settings = [*SETTINGS.split(), f"INPUT={include}", f"OUTPUT_DIRECTORY={output}"]
        subprocess.run(["doxygen", "-"], input="\n".join(settings), text=True, check=True, stdout=subprocess.DEVNULL)
        for node in (xml.parse(path).find("compounddef") for path in sorted(Path(output, "xml").glob("*.xml"))):
            kind = node.get("kind") if node is not None else ""
            if kind in TYPES:
                entries.append(entry_of(node))
                entries[-1].members = members_of(node)
            elif kind in ("file", "namespace"):
                entries += members_of(node)
            if kind == "file":
                comments[plain(node.find("compoundname"))] = markdown(node.find("detaileddescription")).strip()
    entries.sort(key=lambda entry: entry.line)
    return {name: (text, [e for e in entries if e.header == name]) for name, text in sorted(comments.items())}


def code(signatures):
    return "```cpp\n" + "\n".join(signatures) + "\n```"


def table(rows):
    """Fields or enumerators; enumerators whose names say it all are one line."""
    if not any(row.text for row in rows):
        return ", ".join(f"`{row.signatures[0]}`" for row in rows)
    told = [f"| `{' '.join(row.signatures[0].split())}` | {' '.join(row.text.split())} |" for row in rows]
    return "\n".join([f"| {rows[0].kind.replace('variable', 'field')} | meaning |", "| --- | --- |", *told])


def page(name, text, entries):
    """A header as Markdown: a heading for each name, and tables of fields and enumerators."""
    parts = [f"# {name}", text]
    for entry in entries:
        rows = [member for member in entry.members if member.kind in ("variable", "enumerator")]
        parts += [f"## {entry.name}", code(entry.signatures), entry.text, table(rows)]
        for member in (m for m in entry.members if m not in rows):
            parts += [f"### {member.name}", code(member.signatures), member.text]
    return "\n\n".join(filter(None, parts)) + "\n"
