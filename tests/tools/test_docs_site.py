"""The site builds strictly: what is broken, or cannot be reached, fails."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mkdocs", reason="mkdocs is not installed (make docs installs it)")
ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "tools" / "fixtures" / "docstrings" / "good" / "include"


def make_tree(tmp_path):
    """A repository with the site's configuration and a few pages."""
    shutil.copytree(HEADERS, tmp_path / "include")
    (tmp_path / "tools").mkdir()
    for name in ("docs_site.py", "cpp_reference.py"):
        shutil.copy(ROOT / "tools" / name, tmp_path / "tools")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    pages = {
        "README.md": "# Home\n\n[start](docs/install.md), [licence](LICENSE)\n",
        "LICENSE": "free\n",
        "docs/site.css": "",
        "docs/install.md": "# Install\n\n[home](../README.md), [box](../include/taskmill/box.h#box), [one](../examples/one)\n\n"
        '```cpp file=one.cpp\nint one;\n```\n```sh install\ntrue\n```\n',
        "docs/formats/a.md": "# A\n",
        "docs/formats/b.md": "# B\n\n[box](../../include/taskmill/box.h)\n",
        "examples/one/README.md": "# One\n",
    }
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def build(tree):
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict"], cwd=tree, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    tree = make_tree(tmp_path_factory.mktemp("tree"))
    code, told = build(tree)
    assert code == 0, told
    return tree / "build" / "site"


def test_links_to_pages_folders_headers_and_files_lead_somewhere(site):
    install = (site / "docs" / "install.html").read_text()
    for link in ("../index.html", "../include/taskmill/box.h.html#box", "../examples/one/index.html"):
        assert f'href="{link}"' in install
    assert (site / "LICENSE").read_text() == "free\n"
    assert "one.cpp</span>" in install and "file=" not in install


def test_the_nav_takes_all_pages_of_a_folder_and_leaves_out_what_does_not_exist(site):
    home = (site / "index.html").read_text()
    assert 'href="docs/formats/a.html"' in home and 'href="docs/formats/b.html"' in home
    assert "Performance" not in home


def test_no_page_asks_another_server_for_anything(site):
    for page in site.rglob("*.html"):
        assert 'src="http' not in page.read_text() and 'rel="stylesheet" href="http' not in page.read_text()


@pytest.mark.parametrize(
    ("page", "text", "complaint"),
    [
        ("docs/install.md", "[gone](gone.md)\n", "gone.md"),
        ("docs/install.md", "[gone](../README.md#gone)\n", "does not contain an anchor '#gone'"),
        ("docs/install.md", "[gone](../include/taskmill/box.h#gone)\n", "does not contain an anchor '#gone'"),
        ("docs/install.md", "[a folder without a README](formats)\n", "formats/README.md"),
        ("docs/lost.md", "# Lost\n", "docs/lost.md"),
    ],
)
def test_a_broken_link_or_a_page_outside_the_nav_fails(tmp_path, page, text, complaint):
    tree = make_tree(tmp_path)
    with (tree / page).open("a") as file:
        file.write(text)
    code, told = build(tree)
    assert code != 0
    assert complaint in told
