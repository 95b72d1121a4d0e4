"""What mkdocs calls while it builds the site (mkdocs.yml).

The site is laid out like the repository, so that one relative link works in both: a link to a folder leads to its README, a link to
a public header to the header's reference, any other file comes along as it is."""

import posixpath
import re
import sys
from pathlib import Path

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))  # mkdocs loads a hook by its path
import cpp_reference

PAGES = ("README.md", "CHANGELOG.md", "docs/**/*.md", "examples/README.md", "examples/*/README.md")
HEADERS = "include/taskmill"
LINK = re.compile(r"(?<=\]\()([^)#\s:]+)(?=[)#])")
FENCE = re.compile(r"^(```\w+) ([^\n`]+)$", re.MULTILINE)


def root_of(config):
    return Path(config.config_file_path).parent


def pages_of(root):
    found = {path.relative_to(root).as_posix() for pattern in PAGES for path in root.glob(pattern)}
    return found | {f"{HEADERS}/{path.name}.md" for path in (root / HEADERS).glob("*.h")}


def filled(nav, pages):
    """The nav with patterns replaced by the pages that match. An entry whose page does not exist is left out: a misspelt one leaves
    its page outside the nav, which is an error."""
    if isinstance(nav, dict):
        ((title, below),) = nav.items()
        below = filled(below, pages)
        return {title: below} if below else None
    if isinstance(nav, list):
        entries = [filled(entry, pages) for entry in nav]
        return [page for entry in entries if entry for page in (entry if isinstance(entry, list) else [entry])]
    if "*" in nav:
        return sorted(page for page in pages if re.fullmatch(nav.replace("*", "[^/]*"), page))
    return nav if nav in pages else None


def target_of(page, link, root):
    """Where on the site the link of a page leads."""
    target = posixpath.normpath(posixpath.join(posixpath.dirname(page), link))
    if (root / target).is_dir():
        return f"{target}/README.md"
    return f"{target}.md" if target.startswith(HEADERS) and target.endswith(".h") else target


def on_config(config):
    config.nav = filled(config.nav, pages_of(root_of(config)))


def on_files(files, config):
    root = root_of(config)
    for file in [file for file in files if file.src_dir == config.docs_dir]:
        files.remove(file)

    def add(path):
        files.append(File(path, str(root), config.site_dir, config.use_directory_urls))

    pages = {page for page in pages_of(root) if (root / page).exists()}
    for page in pages:
        add(page)
    links = {target_of(page, link, root) for page in pages for link in LINK.findall((root / page).read_text())}
    for path in sorted(links - pages | set(config.extra_css)):
        if (root / path).is_file():
            add(path)
    for name, (text, entries) in cpp_reference.read_headers(root / HEADERS).items():
        files.append(File.generated(config, f"{HEADERS}/{name}.md", content=cpp_reference.page(name, text, entries)))


def on_page_markdown(markdown, page, config, **_):
    """Links lead to where the site has their targets; `file=NAME` of a code block becomes its title, other marks are dropped."""

    def linked(match):
        return posixpath.relpath(target_of(page.file.src_uri, match[0], root_of(config)), posixpath.dirname(page.file.src_uri) or ".")

    def titled(match):
        name = re.search(r"\bfile=(\S+)", match[2])
        return f'{match[1]} title="{name[1]}"' if name else match[1]

    return FENCE.sub(titled, LINK.sub(linked, markdown))
