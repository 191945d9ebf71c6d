"""The result of every command: a document with facts, tables and notes."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ._cells import Row, cell
from ._errors import StrataError

if TYPE_CHECKING:
    from ._native import Result

#: the format by a file's ending, where the ending is not the format's name
_FORMATS = {"htm": "html", "markdown": "md", "txt": "table", "xlsx": "excel", "xls": "excel"}


class Table:
    """A table of a document: `columns` are names, `rows` are plain objects, `total` is the last line.

    >>> import strata
    >>> table = strata.stat("zoo:alexnet").table
    >>> table.columns[:2], table.described[0]["title"], table.total.params
    (['layer', 'type'], 'Layer', 61100840)
    >>> table.rows[0].layer, table.by_column()["layer"][0]
    ('features.0', 'features.0')
    """

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content

    @cached_property
    def columns(self) -> list[str]:
        """The names of the columns, in their order."""
        return [column["name"] for column in self._content["columns"]]

    @property
    def described(self) -> list[dict[str, Any]]:
        """Each column's name, title, unit, type and whether it adds up."""
        return list(self._content["columns"])

    def _row(self, values: dict[str, Any]) -> Row:
        known = {c["name"]: (c.get("type", "plain"), c.get("unit", "text")) for c in self.described}
        plain = ("plain", "number")
        return Row({key: cell(value, *known.get(key, plain)) for key, value in values.items()})

    @cached_property
    def rows(self) -> list[Row]:
        """The rows as plain objects; the last line is `total`."""
        return [self._row(values) for values in self._content["rows"]]

    @cached_property
    def total(self) -> Row:
        """The sums in the last line, of the columns that add up."""
        return self._row(self._content.get("totals") or {})

    def by_column(self) -> dict[str, list[Any]]:
        """Each column's cells, for data frames."""
        names = list(self.columns)
        for row in self.rows:
            names += [name for name in row if name not in names]
        return {name: [row.get(name) for row in self.rows] for name in names}

    def __len__(self) -> int:
        return len(self.rows)


class Document:
    """The result of a command. `print` shows the terminal's output, a notebook shows the page.

    >>> import strata
    >>> answer = strata.zoo()
    >>> answer.kind, answer.rows[0].network in answer.render("csv")
    ('zoo', True)
    >>> profile = strata.stat("zoo:alexnet")
    >>> profile.facts["model"]["inputs"][0]["shape"], list(profile.tables), profile.table.total.params
    ([1, 3, 224, 224], ['layers'], 61100840)
    >>> profile.to_dict()["kind"], profile.to_json()[:1], profile.notes
    ('profile', '{', [])
    >>> profile.save("alexnet.html")  # doctest: +SKIP
    >>> profile.to_pandas().macs.sum()  # doctest: +SKIP
    714188480
    >>> profile.to_polars()["macs"].sum()  # doctest: +SKIP
    714188480
    """

    def __init__(self, result: Result) -> None:
        self._result = result

    @cached_property
    def _content(self) -> dict[str, Any]:
        import json

        content: dict[str, Any] = json.loads(self._result.json())
        return content

    @cached_property
    def _head(self) -> dict[str, Any]:
        """The document without the rows of its tables, which take most of the time and memory."""
        import json

        if "_content" in self.__dict__:
            return self._content
        content: dict[str, Any] = json.loads(self._result.head())
        return content

    @property
    def kind(self) -> str:
        """`profile`, `bench`, `payload`, `diff`, …"""
        return str(self._head["kind"])

    @property
    def facts(self) -> dict[str, Any]:
        """Everything but the tables, as docs/json-schema.md describes it."""
        facts: dict[str, Any] = self._head.get("facts", {})
        return facts

    @property
    def notes(self) -> list[str]:
        """Caveats, one sentence each."""
        return list(self._head.get("notes", []))

    @cached_property
    def tables(self) -> dict[str, Table]:
        """Every table by its name."""
        return {name: Table(table) for name, table in self._content.get("tables", {}).items()}

    @property
    def table(self) -> Table:
        """The first table, which is what the command is about."""
        for table in self.tables.values():
            return table
        raise StrataError(f"a document of kind {self.kind} has facts and no table here", 2)

    @property
    def rows(self) -> list[Row]:
        """The rows of the first table, as plain objects."""
        return self.table.rows

    def to_dict(self) -> dict[str, Any]:
        """Returns the document as a dictionary with the keys of its JSON."""
        return self._content

    def to_json(self) -> str:
        """Returns the document's JSON, byte for byte as the program writes it."""
        return self._result.json().decode("utf-8")

    def to_pandas(self, table: str | None = None) -> Any:
        """A table as pandas.DataFrame: counts are integers, unknown values are missing."""
        import pandas

        columns = (self.tables[table] if table else self.table).by_column()
        return pandas.DataFrame({name: _series(pandas, cells) for name, cells in columns.items()})

    def to_polars(self, table: str | None = None) -> Any:
        """A table as polars.DataFrame."""
        import polars

        return polars.DataFrame((self.tables[table] if table else self.table).by_column(), strict=False)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The first table as an Arrow C stream, which pyarrow, polars, pandas and DuckDB read."""
        from ._arrow import stream

        if not hasattr(self._result, "arrow_into"):
            raise StrataError("Arrow streams need libstrata_c.so, which is not there", 2)
        return stream(self._result)

    def render(self, format: str = "table", **options: Any) -> str:
        """Returns the document as text in one of the program's formats."""
        return self._result.render(format, **options).decode("utf-8")

    def save(self, path: str | os.PathLike[str], format: str | None = None, **options: Any) -> None:
        """Writes the document to a file in the format of its ending: html, json, csv, md, svg, png, txt, xls, …"""
        name = os.fspath(path)
        ending = os.path.splitext(name)[1][1:].lower()
        chosen = format or _FORMATS.get(ending, ending) or "table"
        content = self._result.render(chosen, **options)
        with open(name, "wb") as file:
            file.write(content)

    def __str__(self) -> str:
        return self.render("table", **_terminal()).rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The HTML report, in a frame of its own so that its style and the notebook's stay apart."""
        # In single quotes only these two need an escape: a page has many double ones.
        page = self.render("html").replace("&", "&amp;").replace("'", "&#39;")
        frame = 'sandbox="allow-scripts allow-downloads" style="width: 100%; height: 40em; border: 0"'
        return f"<iframe srcdoc='{page}' {frame}></iframe>"


def _series(pandas: Any, cells: list[Any]) -> Any:
    """Makes a column in which whole numbers stay whole although some are missing."""
    whole = all(c is None or (isinstance(c, int) and not isinstance(c, bool)) for c in cells)
    missing = any(c is None for c in cells)
    if whole and missing and not all(c is None for c in cells):
        return pandas.array(cells, dtype="Int64")
    return cells


def _terminal() -> dict[str, Any]:
    """Returns the width of a table: that of the terminal, if there is one."""
    import shutil
    import sys

    stdout = sys.stdout
    if stdout is not None and hasattr(stdout, "isatty") and stdout.isatty():
        return {"width": shutil.get_terminal_size().columns}
    return {}
