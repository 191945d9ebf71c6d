#!/usr/bin/env python3
"""make_schema.py SCHEMA_PY > schema_table.h

Writes the table of TFLite's file format from `schema_py_generated.py`, which the Python packages
ai-edge-litert, tflite-micro and tensorflow contain: names of operators, the slot of every field that
strata reads, and the fields of each operator's options with their types and defaults.

    python3 -m venv /tmp/litert && /tmp/litert/bin/pip install ai-edge-litert==2.3.0
    python3 make_schema.py /tmp/litert/lib/python3*/site-packages/ai_edge_litert/schema_py_generated.py
"""
import re
import sys

TABLES = ["Model", "SubGraph", "Tensor", "QuantizationParameters", "SparsityParameters",
          "DimensionMetadata", "OperatorCode", "Operator", "Buffer", "SignatureDef", "TensorMap",
          "Metadata"]
KINDS = {"Int8": "Int8", "Uint8": "Uint8", "Bool": "Bool", "Int16": "Int16", "Uint16": "Uint16",
         "Int32": "Int32", "Uint32": "Uint32", "Int64": "Int64", "Uint64": "Uint64",
         "Float32": "Float32"}


def snake(name):
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name).lower()


def classes(text):
    parts = re.split(r"^class (\w+)\(object\):$", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def constants(body):
    return [(name, int(number))
            for name, number in re.findall(r"^    (\w+) = (\d+)$", body, flags=re.M)]


def fields(body):
    """(name, slot, kind, is_vector, default) of each field, in the order of their slots."""
    found = {}
    for name, code in re.findall(r"^    def (\w+)\(self(?:, j)?\):\n(.*?)(?=^    def |^    # |\Z)", body,
                                 flags=re.M | re.S):
        offset = re.search(r"_tab\.Offset\((\d+)\)", code)
        if not offset or name.endswith(("Length", "IsNone", "AsNumpy")):
            continue
        kind = re.search(r"number_types\.(\w+)Flags, (?:a|o)", code)
        default = re.search(r"^        return (\S+)$", code, flags=re.M)
        slot = (int(offset.group(1)) - 4) // 2
        found[slot] = (name, slot, KINDS.get(kind.group(1)) if kind else None,
                       "_tab.Vector(o)" in code, default.group(1) if default else "0")
    return [found[slot] for slot in sorted(found)]


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    every = classes(text)
    out = print
    out("// Made by make_schema.py from TFLite's schema as ai-edge-litert 2.3.0 has it. Do not edit.")
    out("#pragma once\n\n#include <array>\n#include <cstdint>\n#include <string_view>\n")
    out("namespace strata::tflite {\n")
    out("// Names of builtin operators, by number.")
    names = constants(every["BuiltinOperator"])
    assert [number for _, number in names] == list(range(len(names)))
    out(f"inline constexpr std::array<std::string_view, {len(names)}> kOperators = {{")
    for name, _ in names:
        out(f'    "{name}",')
    out("};\n")
    for enum, title in [("ActivationFunctionType", "kActivations"), ("TensorType", "kTensorTypes")]:
        names = constants(every[enum])
        assert [number for _, number in names] == list(range(len(names)))
        out(f"inline constexpr std::array<std::string_view, {len(names)}> {title} = {{")
        for name, _ in names:
            out(f'    "{name}",')
        out("};\n")
    out("// Slots of fields in the tables around operators.")
    out("namespace slot {")
    for table in TABLES:
        out(f"enum {table} : std::uint16_t {{")
        for name, slot, *_ in fields(every[table]):
            out(f"  k{table}{name} = {slot},")
        out("};")
    out("}  // namespace slot\n")
    out("enum class Kind : std::uint8_t {")
    out("  " + ", ".join(KINDS.values()))
    out("};\n")
    out("// One field of an operator's options. `otherwise` is its value where a file leaves it out.")
    out("struct Field {\n  std::string_view name;\n  std::uint16_t slot;\n  Kind kind;\n"
        "  bool is_list;\n  double otherwise;\n};\n")
    options = []
    rows = []
    for union, title in [("BuiltinOptions", "kOptions"), ("BuiltinOptions2", "kOptions2")]:
        members = constants(every[union])
        assert [number for _, number in members] == list(range(len(members)))
        spans = []
        for name, _ in members:
            first = len(rows)
            for field, slot, kind, is_list, default in fields(every[name]) if name in every and name != "NONE" else []:
                if kind is None:
                    continue  # a text or a table, which strata does not need
                value = {"True": "1", "False": "0", "None": "0"}.get(default, default)
                rows.append(f'    {{"{snake(field)}", {slot}, Kind::{kind}, '
                            f'{"true" if is_list else "false"}, {float(value):g}}},')
            spans.append((name, first, len(rows) - first))
        options.append((title, spans))
    out(f"inline constexpr std::array<Field, {len(rows)}> kFields = {{{{")
    for row in rows:
        out(row)
    out("}};\n")
    out("// Which of kFields the options of this number have, by the number in the union.")
    out("struct Options {\n  std::string_view name;\n  std::uint16_t first, count;\n};")
    for title, spans in options:
        out(f"inline constexpr std::array<Options, {len(spans)}> {title} = {{{{")
        for name, first, count in spans:
            out(f'    {{"{name}", {first}, {count}}},')
        out("}};\n")
    out("}  // namespace strata::tflite")


if __name__ == "__main__":
    main()
