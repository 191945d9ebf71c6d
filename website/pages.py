"""Lays out the pages of the site: pages.py SOURCE MKDOCS.

docs/ as it is, with the tutorial first; links to files outside of docs/ become their names; references of the
Python package, of C and of C++ are made of docstrings and headers.
"""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)


def moved(text: str, place: Path) -> str:
    """A page's links as the site has them; `place` is the page's own file."""

    def link(found: re.Match[str]) -> str:
        words, target = found.groups()
        name, sharp, anchor = target.partition("#")
        file = (place.parent / name).resolve()
        if not file.is_relative_to(ROOT / "docs"):
            return words if words.startswith("`") else f"{words} (`{file.relative_to(ROOT)}`)"
        if file == ROOT / "docs/tutorial.md":
            depth = len(place.relative_to(ROOT / "docs").parts) - 1
            return f"[{words}]({'../' * depth}index.md{sharp}{anchor})"
        if file == ROOT / "docs/adr":
            return f"[{words}](adr/0001-symbolic-integers.md)"
        if file == ROOT / "docs/README.md":
            return words
        return found[0]

    parts, end = [], 0
    for fence in FENCE.finditer(text):  # what is typed stays as it is
        parts += [LINK.sub(link, text[end : fence.start()]), fence[0]]
        end = fence.end()
    # Markdown of the site wants an empty line before a list.
    return "".join([*parts, LINK.sub(link, text[end:])])


def title_of(text: str, name: str) -> str:
    found = re.search(r"^# (.+)$", text, re.M)
    if found is None:
        sys.exit(f"website: {name} has no title")
    return found[1].replace("`", "")


def sections() -> list[tuple[str, list[str]]]:
    """The chapters of docs/README.md: their names and files."""
    chapters: list[tuple[str, list[str]]] = []
    for line in (ROOT / "docs/README.md").read_text().splitlines():
        if line.startswith("## "):
            chapters.append((line[3:].partition(":")[0], []))
        elif chapters:
            chapters[-1][1].extend(re.findall(r"^- \[[^\]]+\]\(([^)#]+\.md)\)", line))
    listed = {name for _, names in chapters for name in names} | {"tutorial.md", "README.md"}
    missing = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")} - listed
    if missing:
        sys.exit(f"website: docs/README.md does not list {', '.join(sorted(missing))}")
    return chapters


def signature(node: Any, name: str) -> str:
    """How a function is called, in one line or with a line for each argument."""
    if isinstance(node, ast.ClassDef):
        made = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name in ("__init__", "__new__")]
        return signature(made[0], name).rpartition(" -> ")[0] if made else name
    arguments = ast.unparse(node.args)
    for first in ("self", "cls"):
        arguments = re.sub(rf"^{first}(, |$)", "", arguments)
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"{name}({arguments}){returned}"
    if len(line) <= 100:
        return line
    parts = re.split(r", (?=[*\w]+(?::|=|$|, ))(?![^\[]*\])", arguments)
    return f"{name}(\n    " + ",\n    ".join(parts) + f",\n){returned}"


def definition(module: str, name: str) -> Any:
    """Where a name of the package is defined, without importing what it needs."""
    file = ROOT / "python/strata" / f"{module}.py"
    folder = ROOT / "python/strata" / module
    for path in [file] if file.exists() else sorted(folder.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
                return node
    sys.exit(f"website: {module} does not define {name}")


def documented(text: str) -> str:
    """A docstring: paragraphs, lists of arguments, and examples as code."""
    lines, out, code = inspect.cleandoc(text).splitlines(), [], False
    for line in lines:
        if line.startswith(">>> ") and not code:
            out += ["```pycon"]
            code = True
        elif code and not line.strip():
            out += ["```"]
            code = False
        elif not code:
            argument = re.match(r"^    (\w+): (.+)$", line)
            heading = re.match(r"^(\w[^:>]*):$", line)
            if heading:
                line = f"\n**{heading[1]}**\n"
            elif argument:
                line = f"- `{argument[1]}`: {argument[2]}"
            elif re.match(r"^    (\w[\w, ]+): ", line):
                line = "- " + line.strip()
            elif line.startswith("        ") or line.startswith("    "):
                line = "    " + line.strip()
        out.append(line)
    return "\n".join([*out, "```"] if code else out)


def python_reference() -> str:
    """Everything in `strata.__all__`, and the public methods of its classes."""
    sys.path.insert(0, str(ROOT / "python"))
    import strata

    places = {name: module for module, names in strata._PLACES.items() for name in names}
    out = ["# Python reference", "", "What `import strata` gives, by name. [python.md](python.md) tells how it is used.", ""]
    for name in sorted(strata.__all__, key=str.lower):
        node = definition(places[name], name)
        out += [f"## strata.{name}", "", "```python", signature(node, name), "```", "",
                documented(ast.get_docstring(node) or ""), ""]  # fmt: skip
        for one in node.body if isinstance(node, ast.ClassDef) else []:
            said = ast.get_docstring(one) if isinstance(one, ast.FunctionDef) else None
            if not said or one.name.startswith("_"):
                continue
            plain = any("property" in ast.unparse(each) for each in one.decorator_list)
            out += [f"### {name}.{one.name}", "", "```python", one.name if plain else signature(one, one.name), "```", "",
                    documented(said), ""]  # fmt: skip
    return "\n".join(out)


def header_reference(title: str, intro: str, headers: list[Path]) -> str:
    """Headers as they are: their first comment as text, the declarations with their comments as code."""
    out = [f"# {title}", "", intro, ""]
    for header in headers:
        lines = header.read_text().splitlines()
        start = 0
        about = []
        while start < len(lines) and (lines[start].startswith("//") or not lines[start].strip()):
            about.append(lines[start].lstrip("/ ").rstrip())
            start += 1
        name = header.relative_to(ROOT / "include")
        out += [f"## {name}", "", *about, "", "```cpp", *lines[start:], "```", ""]
    return "\n".join(out)


def main(source: Path, config: Path) -> None:
    nav: list[Any] = [("Tutorial", "index.md"), ("Gallery", "gallery/index.md")]
    for path in (ROOT / "docs").rglob("*"):
        name = path.relative_to(ROOT / "docs")
        if path.suffix != ".md":
            if path.is_file():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, source / name)
            continue
        to = source / ("index.md" if name == Path("tutorial.md") else name)
        if name == Path("README.md"):
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(moved(path.read_text(), path))
    (source / "assets").mkdir()
    shutil.copy(HERE / "site.css", source / "assets")

    made = {
        "python-reference.md": python_reference(),
        "c-reference.md": header_reference("C reference", "`strata/c.h`: [c.md](c.md) tells how it is used.",
                                           [ROOT / "include/strata/c.h"]),
        "cpp-reference.md": header_reference(
            "C++ reference", "The public headers. [jobs.md](jobs.md) tells how they are used.",
            sorted(path for path in (ROOT / "include/strata").rglob("*.h") if path.name != "c.h")),
    }  # fmt: skip
    for name, text in made.items():
        (source / name).write_text(text)
    for chapter, names in sections():
        if chapter == "Reference":
            names = [*names, *made]
        nav.append((chapter, [(title_of((source / name).read_text(), name), name) for name in names]))

    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    lines = ["", "nav:"]
    for name, target in nav:
        if isinstance(target, str):
            lines.append(f"  - {quoted(name)}: {target}")
        else:
            lines.append(f"  - {quoted(name)}:")
            lines += [f"      - {quoted(title)}: {file}" for title, file in target]
    config.write_text((HERE / "mkdocs.yml").read_text() + "\n".join(lines) + "\n")


main(Path(sys.argv[1]), Path(sys.argv[2]))
