"""Fails on links of a built site that lead nowhere, and on anything that a page asks another server for."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src")}


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[tuple[str, str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.ids.add(value)
            elif name in ("href", "src"):
                self.links.append((tag, name, value))


def main(site: Path) -> int:
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    wrong, checked = [], 0
    for path, page in pages.items():
        if path.name == "404.html":  # whose links are those of the server's root
            continue
        for tag, name, link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if (tag, name) in LOADS and parts.scheme != "data":
                    wrong.append(f"{path.relative_to(site)} loads {link}")
                continue
            checked += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                wrong.append(f"{path.relative_to(site)}: {link} leads nowhere")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                if path.parent.name != "gallery" and "gallery" not in target.parts:  # pages that make their own ids
                    wrong.append(f"{path.relative_to(site)}: {link} names no place of that page")
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"website: {len(pages)} pages, {checked} links, {len(wrong)} wrong")
    return 1 if wrong or not checked else 0


sys.exit(main(Path(sys.argv[1]).resolve()))
