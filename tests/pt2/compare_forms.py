#!/usr/bin/env python3
"""Compares the forms of networks: parameters, rows, names, MACs by row and places to cut.

    compare_forms.py STRATA FOLDER [NAME ...]

FOLDER has NAME.pt2, NAME.onnx (the newer exporter) and, if it could be written, NAME.old.onnx. Other
products are rows with MACs that the .pt2 file does not have, by name, type and MACs; calls are compared
with its rows by name and type. For reading by eye; pt2_test.cc judges."""
import collections
import json
import pathlib
import subprocess
import sys


def run(*command):
    out = subprocess.run([*command, "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def facts_of(strata, path):
    table = run(strata, "stat", path)
    rows = next(iter(table["tables"].values()))["rows"]
    cuts = run(strata, "payload", "--cuts", path)["tables"]["cuts"]["rows"]
    return {
        "parameters": sum(row["params"] or 0 for row in rows),
        "rows": len(rows),
        "macs": sum(row["macs"] or 0 for row in rows),
        "products": collections.Counter((row["layer"], row["type"], row["macs"])
                                        for row in rows if row["macs"]),
        "calls": collections.Counter((row["layer"], row["type"]) for row in rows),
        "cuts": len(cuts),
        "notes": table["notes"],
    }


def main():
    strata, folder, *names = sys.argv[1:]
    folder = pathlib.Path(folder)
    names = names or sorted(path.stem for path in folder.glob("*.pt2") if "." not in path.stem)
    head = ("network", "form", "parameters", "rows", "MACs", "cuts", "other products", "calls missing",
            "calls added")
    print("{:20} {:9} {:>12} {:>5} {:>14} {:>5} {:>14} {:>13} {:>11}".format(*head))
    for name in names:
        forms = {form: folder / (name + form) for form in (".pt2", ".onnx", ".old.onnx")}
        facts = {form: facts_of(strata, path) for form, path in forms.items() if path.exists()}
        base = facts[".pt2"]
        for form, one in facts.items():
            missing = base["calls"] - one["calls"]
            added = one["calls"] - base["calls"]
            unlike = one["products"] - base["products"]
            print(f"{name:20} {form:9} {one['parameters']:12} {one['rows']:5} {one['macs']:14} "
                  f"{one['cuts']:5} {sum(unlike.values()):14} {sum(missing.values()):13} "
                  f"{sum(added.values()):11}")
            for note in one["notes"]:
                print("    note:", note)


main()
