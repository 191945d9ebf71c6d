"""Compares the table of PyTorch's operators with the schemas of the torch that runs this (2.13).

    strata ops aten --format json | python3 tests/pt2/check_schemas.py

Prints what differs, and exits with 1 if anything does. Nothing is shared with the script that makes
the table: schemas are read as texts here, as torch prints them.
"""
import json
import re
import sys

import torch

# Arguments that no rule needs, whatever their type.
OTHER = {"dtype", "layout", "device", "memory_format", "generator", "pin_memory", "output_dtype",
         "out_dtype"}
KINDS = {"Tensor", "Tensor?", "Tensor[]", "Tensor?[]", "int", "float", "bool", "str", "Scalar",
         "int[]", "float[]"}


def split(text):
    """The parts of a list at commas that are in no brackets."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += letter in "([" and 1 or (letter in ")]" and -1 or 0)
        if letter == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    return [p for p in parts + [part.strip()] if p]


def kind_of(written, name):
    if name in OTHER:
        return "other"
    kind = re.sub(r"\([^)]*\)", "", written)  # aliases
    kind = kind.replace("SymInt", "int").replace("SymBool", "bool")
    sized = re.fullmatch(r"(\w+)\[(\d+)\](\??)", kind)
    if sized:
        kind = f"{sized[1]}[]{sized[3]}"
    if kind not in ("Tensor?", "Tensor?[]"):
        kind = kind.removesuffix("?")
    kind = {"bool[]": "int[]"}.get(kind, kind)
    return kind if kind in KINDS else "other"


def default_of(written, value, kind):
    if value is None:
        return ""
    if value == "None" or kind == "other":
        return "None"
    if value in ("True", "False"):
        return str(int(value == "True"))
    if kind == "str":
        return "'" + value.strip("\"'") + "'"
    if kind.endswith("[]"):
        sized = re.search(r"\[(\d+)\]", written)
        items = split(value[1:-1]) if value.startswith("[") else [value] * int(sized[1])
        items = [str(int(i == "True")) if i in ("True", "False") else i for i in items]
        return "[" + ",".join(items) + "]"
    return value


def same_default(a, b):
    if a == b:
        return True
    try:
        return abs(float(a) - float(b)) <= 1e-6 * abs(float(a))
    except ValueError:
        return False


def argument_of(text):
    found = re.fullmatch(r"(\S+(?: -> \S+)?) (\w+)(?:=(.*))?", text)
    written, name, value = found.groups()
    kind = kind_of(written, name)
    return name, kind, default_of(written, value, kind)


def schema_of(name):
    base, _, overload = name.partition(".")
    try:
        return str(getattr(getattr(torch.ops.aten, base), overload or "default")._schema)
    except AttributeError:
        return str(torch._C._get_schema("aten::" + base, overload))


def expected_of(name):
    text = schema_of(name)
    inside, results = re.fullmatch(r"[^(]*\((.*)\) -> (.*)", text).groups()
    arguments = [argument_of(part) for part in split(inside) if part != "*"]
    results = split(results[1:-1]) if results.startswith("(") else [results]
    return arguments, [kind_of(result.split(" ")[0], "") for result in results]


def has_row(name, rows):
    base, _, overload = name.partition(".")
    plain = base[:-1] if base.endswith("_") and not base.endswith("__") else base
    dotted = "." + overload if overload else ""
    return any(n in rows for n in (name, base, plain + dotted, plain))


def core_operators():
    for schema in torch._C._jit_get_all_schemas():
        if not schema.name.startswith("aten::"):
            continue
        base = schema.name.removeprefix("aten::")
        packet = getattr(torch.ops.aten, base, None)
        overload = getattr(packet, schema.overload_name or "default", None)
        if overload is not None and torch.Tag.core in overload.tags:
            yield base + ("." + schema.overload_name if schema.overload_name else "")


def rows_of(table):
    names = [column["name"] for column in table["columns"]]
    return [row if isinstance(row, dict) else dict(zip(names, row)) for row in table["rows"]]


def main():
    tables = {name: rows_of(table) for name, table in json.load(sys.stdin)["tables"].items()}
    table = {}
    for row in tables["arguments"]:
        entry = table.setdefault(row["operator"], ([], []))
        if row["role"] == "argument":
            entry[0].append((row["name"], row["kind"], row["default"]))
        else:
            entry[1].append(row["kind"])
    rows = {row["operator"] for row in tables["operators"]}
    wrong = []
    for name, (arguments, results) in table.items():
        expected, expected_results = expected_of(name)
        fits = len(arguments) == len(expected) and all(
            a[:2] == b[:2] and same_default(a[2] or "", b[2]) for a, b in zip(arguments, expected))
        if not fits:
            wrong.append(f"{name}: {arguments} where torch has {expected}")
        if results != expected_results:
            wrong.append(f"{name}: returns {results} where torch has {expected_results}")
    core = sorted(core_operators())
    for name in core:
        if name not in table:
            wrong.append(f"{name}: core ATen, and not in the table")
        if not has_row(name, rows):
            wrong.append(f"{name}: core ATen, and has no row")
    bases = {name.partition(".")[0] for name in table}
    for row in sorted(rows):
        if row not in table and row.partition(".")[0] not in bases | {b[:-1] for b in bases}:
            wrong.append(f"{row}: has a row, and is not an operator of the table")
    print("\n".join(wrong[:50]))
    print(f"{len(table)} operators, {len(core)} of core ATen, {len(rows)} rows, {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
