#!/usr/bin/python3
"""validate.py SCHEMAS [FILE...]: holds documents of strata against the schema of their kind.

A FILE of `-`, or none, is stdin. Prints a line for each problem; exits with 1 if there is any.
With --broken, each document is also damaged in several ways, and each damage must be found.
"""
import argparse
import copy
import json
import pathlib
import sys

import jsonschema


def load(folder):
    schemas = {}
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        schemas[path.stem] = schema
    return schemas


def validator(schemas, kind):
    store = {schema["$id"]: schema for schema in schemas.values()}
    resolver = jsonschema.RefResolver.from_schema(schemas[kind], store=store)
    return jsonschema.Draft202012Validator(schemas[kind], resolver=resolver)


def problems(schemas, document):
    kind = document.get("kind") if isinstance(document, dict) else None
    if kind not in schemas or kind in ("document", "request"):
        return [f"there is no schema of the kind {kind!r}"]
    found = [f"{kind} at {error.json_path}: {error.message[:200]}"
             for error in validator(schemas, kind).iter_errors(document)]
    if found or "command" not in document["tool"]:
        return found
    request = {"command": document["tool"]["command"], "options": document["options"]}
    return [f"the request of {kind} at {error.json_path}: {error.message[:200]}"
            for error in validator(schemas, "request").iter_errors(request)]


def shortened(value):
    """The same with three elements of every list: enough to damage, and quick to judge."""
    if isinstance(value, dict):
        return {key: shortened(each) for key, each in value.items()}
    return [shortened(each) for each in value[:3]] if isinstance(value, list) else value


def damaged(document):
    """The document with one thing wrong, and what that is."""
    def but(change):
        other = copy.deepcopy(document)
        change(other)
        return other

    yield "with an option that there is not", but(lambda d: d["options"].update({"--strange": "1"}))
    for member in ("kind", "schema", "tool", "options", "facts", "tables", "notes"):
        yield f"without {member}", but(lambda d: d.pop(member))
    for fact in document["facts"]:
        def rename(d, fact=fact):
            d["facts"][fact + "x"] = d["facts"].pop(fact)
        yield f"with {fact} misspelt", but(rename)
    yield "of another schema", but(lambda d: d.update(schema=1))
    for name, table in document["tables"].items():
        yield f"with another table than {name}", but(
            lambda d: d["tables"].update({name + "x": d["tables"].pop(name)} | {}) or
            d["tables"].update({"strange": {}}))
        if table["rows"]:
            yield f"with a strange column in {name}", but(
                lambda d: d["tables"][name]["rows"][0].update(strange=1))
            number = next((c["name"] for c in table["columns"]
                           if c["unit"] != "text" and c["type"] in ("plain", "estimate")), None)
            if number is not None:
                yield f"with a list in {number} of {name}", but(
                    lambda d: d["tables"][name]["rows"][0].update({number: [[]]}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("schemas")
    parser.add_argument("files", nargs="*", default=["-"])
    parser.add_argument("--broken", action="store_true")
    arguments = parser.parse_intermixed_args()
    schemas = load(arguments.schemas)
    wrong = 0
    for name in arguments.files:
        text = sys.stdin.read() if name == "-" else pathlib.Path(name).read_text()
        document = json.loads(text)
        found = problems(schemas, document)
        for problem in found:
            print(f"{name}: {problem}")
        wrong += len(found)
        if not arguments.broken or found:
            continue
        for what, other in damaged(shortened(document)):
            if not problems(schemas, other):
                print(f"{name}: a document {what} was not refused")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
