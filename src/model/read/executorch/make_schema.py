#!/usr/bin/env python3
"""make_schema.py EXECUTORCH_FOLDER > schema_table.h

Writes the tables of ExecuTorch's file format from the schemas that the Python package executorch contains
(program.fbs, and XNNPACK's schema.fbs): the slots of the fields that strata reads, the nodes of XNNPACK with
their fields, and the operators whose form with an `out` is not named after the form without one. The last
takes the torch that runs it.

    python3 -m venv /tmp/et && /tmp/et/bin/pip install torch==2.13.0 executorch==1.5.1
    /tmp/et/bin/python make_schema.py /tmp/et/lib/python3*/site-packages/executorch
"""
import re
import sys

import torch

PROGRAM = ["AllocationDetails", "ExtraTensorInfo", "Tensor", "Int", "Bool", "Double", "String", "IntList", "TensorList",
           "EValue", "Operator", "KernelCall", "DelegateCall", "MoveCall", "JumpFalseCall", "Instruction",
           "BackendDelegateDataReference", "BackendDelegate", "Chain", "ExecutionPlan", "Buffer",
           "BackendDelegateInlineData", "DataSegment", "SubsegmentOffsets", "NamedData", "Program"]
XNNPACK = ["XNNTensorValue", "XNNQuantizedTensorValue", "OutputMinMax", "XNode", "XValue", "ConstantDataOffset",
           "XNNGraph"]


def parsed(path):
    text = re.sub(r"//[^\n]*", "", open(path, encoding="utf-8").read())
    unions = {name: re.findall(r"(\w+)(?:\s*:\s*(\w+))?\s*,?", body)
              for name, body in re.findall(r"union (\w+)\s*\{(.*?)\}", text, flags=re.S)}
    tables = {}
    for name, body in re.findall(r"table (\w+)\s*\{(.*?)\}", text, flags=re.S):
        slot, fields = 0, []
        for field, kind in re.findall(r"(\w+)\s*:\s*(\[?\w+\]?)[^;]*;", body):
            if kind in unions:  # its type takes the slot before it
                fields.append((field + "_type", slot, "ubyte"))
                slot += 1
            fields.append((field, slot, kind))
            slot += 1
        tables[name] = fields
    return tables, unions


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def slots(tables, wanted):
    print("namespace slot {")
    for table in wanted:
        print(f"enum {table} : std::uint16_t {{")
        for name, slot, _ in tables[table]:
            print(f"  k{table}{camel(name)} = {slot},")
        print("};")
    print("}  // namespace slot\n")


def union(unions, name, enum):
    print(f"enum class {enum} : std::uint8_t {{")
    print("  NONE,")
    for member, _ in unions[name]:
        print(f"  {member},")
    print("};\n")


def nodes(tables, unions):
    print("// A field of one of XNNPACK's nodes.")
    print("struct XnnField {\n  std::string_view name;\n  std::uint16_t slot;\n  bool is_list, is_float;\n};\n")
    rows, spans = [], []
    for member, table in unions["XNodeUnion"]:
        fields = tables[table or member]
        spans.append((member.removeprefix("XNN"), len(rows), len(fields)))
        for name, slot, kind in fields:
            text = ["false", "true"]
            rows.append(f'    {{"{name}", {slot}, {text[kind.startswith("[")]}, {text["float" in kind]}}},')
    print(f"inline constexpr std::array<XnnField, {len(rows)}> kXnnFields = {{{{")
    print("\n".join(rows))
    print("}};\n")
    print("// A node, and which of kXnnFields it has. By its number in the union, from 1.")
    print("struct XnnNode {\n  std::string_view name;\n  std::uint16_t first, count;\n};")
    print(f"inline constexpr std::array<XnnNode, {len(spans)}> kXnnNodes = {{{{")
    for name, first, count in spans:
        print(f'    {{"{name}", {first}, {count}}},')
    print("}};\n")


def is_out(argument):
    return argument.alias_info is not None and argument.alias_info.is_write and argument.kwarg_only


def out_forms():
    """(form with `out`, form without) where the names say less than the arguments."""
    schemas = {}
    for schema in torch._C._jit_get_all_schemas():
        if schema.name.startswith("aten::"):
            schemas.setdefault(schema.name.removeprefix("aten::"), {})[schema.overload_name] = schema
    for name, overloads in sorted(schemas.items()):
        for overload, schema in sorted(overloads.items()):
            if not any(map(is_out, schema.arguments)) or name.endswith("_backward"):
                continue
            wanted = [(a.name, str(a.type)) for a in schema.arguments if not is_out(a)]
            same = [other for other, candidate in overloads.items()
                    if not any(a.alias_info and a.alias_info.is_write for a in candidate.arguments)
                    and [(a.name, str(a.type)) for a in candidate.arguments] == wanted]
            named = "" if overload == "out" else overload.removesuffix("_out")
            if same and named not in same:
                other = f"{name}.{same[0]}" if same[0] else name
                yield f"{name}.{overload}", other


def main():
    root = sys.argv[1]
    print("// Made by make_schema.py from the schemas of executorch 1.5.1 and torch "
          f"{torch.__version__.split('+')[0]}. Do not edit.")
    print("#pragma once\n\n#include <array>\n#include <cstdint>\n#include <string_view>\n")
    print("namespace strata::executorch {\n")
    tables, unions = parsed(f"{root}/schema/program.fbs")
    slots(tables, PROGRAM)
    union(unions, "KernelTypes", "ValueType")
    union(unions, "InstructionArguments", "Call")
    tables, unions = parsed(f"{root}/backends/xnnpack/serialization/schema.fbs")
    slots(tables, XNNPACK)
    nodes(tables, unions)
    forms = list(out_forms())
    print("// Operators of ATen that write into a given tensor, and the same without it; sorted. Others' overloads\n"
          "// are `out` for the form without overload, and end with `_out`.")
    print("struct OutForm {\n  std::string_view with, without;\n};")
    print(f"inline constexpr std::array<OutForm, {len(forms)}> kOutForms = {{{{")
    for with_out, without in sorted(forms):
        print(f'    {{"{with_out}", "{without}"}},')
    print("}};\n")
    print("}  // namespace strata::executorch")


if __name__ == "__main__":
    main()
