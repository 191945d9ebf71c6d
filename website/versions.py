"""Makes one site of several versions: versions.py SITE VERSION [EARLIER].

SITE has the folder VERSION. Other versions are taken over from EARLIER, a site that was made before. The root
leads to the newest version, and versions.json lists all for the menu in the header.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

FOLDER = re.compile(r"\d+\.\d+$")


def number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def versions_of(site: Path) -> list[str]:
    """Newest first."""
    found = [path.name for path in site.iterdir() if FOLDER.match(path.name) and (path / "index.html").is_file()]
    return sorted(found, key=number, reverse=True)


def main(site: Path, version: str, earlier: Path | None = None) -> None:
    for other in versions_of(earlier) if earlier else []:
        if other != version:
            shutil.copytree(earlier / other, site / other)
    versions = versions_of(site)
    if version not in versions:
        sys.exit(f"website: {site} has no folder {version}")
    newest = versions[0]
    listed = [{"version": one, "title": one, "aliases": ["latest"] if one == newest else []} for one in versions]
    (site / "versions.json").write_text(json.dumps(listed, indent=1) + "\n")
    (site / "index.html").write_text(
        f'<!doctype html>\n<meta charset="utf-8">\n<title>strata</title>\n'
        f'<meta http-equiv="refresh" content="0; url={newest}/index.html">\n'
        f'<a href="{newest}/index.html">strata {newest}</a>\n'
    )


main(Path(sys.argv[1]), sys.argv[2], *map(Path, sys.argv[3:]))
