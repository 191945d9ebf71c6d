#!/usr/bin/python3
"""check_formats.py FOLDER: holds the files that formats_test.cc made against profile.json.

Prints what is wrong and exits with 1 if anything is.
"""
import csv
import json
import pathlib
import struct
import sys
import xml.etree.ElementTree

folder = pathlib.Path(sys.argv[1])
rows = json.loads((folder / "profile.json").read_text())["tables"]["layers"]["rows"]
timed = [row for row in rows if row["time"] is not None]
wrong = []


def expect(truth, what):
    if not truth:
        wrong.append(what)


def check_trace():
    events = json.loads((folder / "profile.trace.json").read_text())["traceEvents"]
    for event in events:
        expect({"name", "ph", "ts", "pid", "tid"} <= event.keys(), f"trace: incomplete {event}")
    slices = [event for event in events if event["ph"] == "X"]
    layers = [event for event in slices if event["cat"] == "layer"]
    expect([event["name"] for event in layers] == [row["layer"] for row in timed],
           "trace: other layers than the document's")
    # Each slice is rounded to a nanosecond at both ends; their sum is as near.
    for event, row in zip(layers, timed):
        expect(abs(event["dur"] * 1e3 - row["time"] * 1e9) <= 1.001, f"trace: time of {event}")
        expect(event["args"]["time"] == row["time"], f"trace: argument of {event}")
    total = sum(row["time"] for row in timed) * 1e9
    expect(abs(sum(event["dur"] for event in layers) * 1e3 - total) <= 1, "trace: the sum")
    # Two slices are apart, or one is in the other, and then its name begins the other's.
    spans = [(round(event["ts"] * 1e3), round((event["ts"] + event["dur"]) * 1e3), event)
             for event in slices]
    for i, (start, end, event) in enumerate(spans):
        for other_start, other_end, other in spans[i + 1:]:
            if other_start >= end:
                continue
            expect(other_end <= end, f"trace: {other['name']} ends after {event['name']}")
            expect(other["name"].startswith(event["name"] + "."),
                   f"trace: {other['name']} is in {event['name']}")
    modules = {event["name"] for event in slices if event["cat"] == "module"}
    expect(modules == {"stages"} | {f"stages.{i}" for i in range(3)} |
           {f"stages.{i}.{j}" for i in range(3) for j in range(4)}, f"trace: modules {modules}")
    counters = [event for event in events if event["ph"] == "C"]
    expect([event["args"]["bytes"] for event in counters] ==
           [row["alive"] for row in timed] + [0], "trace: memory")
    instants = [event["name"] for event in events if event["ph"] == "i"]
    expect(instants == [row["layer"] for row in rows if row["time"] is None],
           "trace: layers without a time")


def nested(events, to_ns):
    """Where Perfetto puts slices: the stack of each event, by the rules of its slice tracker.

    Events are sorted by time and else stay in their order. One that begins when another ends is
    behind it, unless neither takes time; one that ends after the one it begins in is dropped.
    """
    placed, dropped, stack = [], [], []
    drawn = [event for event in events if event["ph"] in "Xi"]
    for event in sorted(drawn, key=lambda event: to_ns(event["ts"])):
        start, length = to_ns(event["ts"]), to_ns(event.get("dur", 0))
        while stack:
            end = stack[-1][0] + stack[-1][1]
            if end > start or (end == start and stack[-1][1] == 0 and length == 0):
                break
            stack.pop()
        if any(start < at + long < start + length for at, long, _ in stack):
            dropped.append(event["name"])
            continue
        placed.append((event, [other for _, _, other in stack]))
        stack.append((start, length, event))
    return placed, dropped


def check_trace_in_perfetto():
    events = json.loads((folder / "profile.trace.json").read_text())["traceEvents"]
    # Numbers are rounded to nanoseconds; older versions cut them off.
    for to_ns in (lambda us: round(us * 1000), lambda us: int(us * 1000)):
        placed, dropped = nested(events, to_ns)
        expect(not dropped, f"trace: Perfetto drops {dropped}")
        for event, around in placed:
            expect(all(other["cat"] != "layer" for other in around),
                   f"trace: {event['name']} is inside of a layer")
            if event["ph"] == "X":
                path = event["name"].split(".")
                modules = [".".join(path[:i]) for i in range(1, len(path))]
                expect([other["name"] for other in around] == modules,
                       f"trace: {event['name']} is in {[other['name'] for other in around]}")
    for event in events:
        expect(event["ph"] in "XiCM", f"trace: phase of {event}")
        expect(event["ts"] >= 0 and event.get("dur", 0) >= 0, f"trace: time of {event}")
        expect(event["ph"] != "i" or event["s"] in "tpg", f"trace: scope of {event}")
        expect(event["ph"] != "C" or all(isinstance(value, (int, float))
                                         for value in event["args"].values()),
               f"trace: counter {event}")
        expect(event["ph"] != "M" or isinstance(event["args"]["name"], str),
               f"trace: metadata {event}")


def check_model_explorer():
    """Checks that the file is a saved GraphNodeData of ai-edge-model-explorer 0.1.34."""
    data = json.loads((folder / "profile.explorer.json").read_text())
    expect(set(data) == {"name", "results", "gradient"}, "model explorer: members")
    sums = {}
    for row in timed:
        sums[row["layer"]] = sums.get(row["layer"], 0) + row["time"] * 1e3
    expect(set(data["results"]) == set(sums), "model explorer: nodes")
    for name, milliseconds in sums.items():
        value = data["results"][name]["value"]
        expect(abs(value - milliseconds) <= 1e-12 * milliseconds, f"model explorer: {name}")
    expect([each["stop"] for each in data["gradient"]] == [0, 1], "model explorer: gradient")


def check_excel():
    raw = (folder / "profile.excel.csv").read_bytes()
    expect(raw.startswith(b"\xef\xbb\xbf"), "excel: no mark at the start")
    expect(raw.count(b"\n") == raw.count(b"\r\n") == len(rows) + 1, "excel: ends of lines")
    lines = list(csv.DictReader(raw.decode("utf-8-sig").splitlines()))
    expect(len(lines) == len(rows), "excel: rows")
    for line, row in zip(lines, rows):
        layer = row["layer"]
        expect(line["Layer"] == ("'" + layer if layer.startswith("=") else layer),
               f"excel: {layer}")
        expect(line["Output"] == row["output"], f"excel: output of {layer}")
        expect(line["Time (s)"] == "" if row["time"] is None else
               float(line["Time (s)"]) == row["time"], f"excel: time of {layer}")
        expect(int(line["MACs"]) == row["macs"] and int(line["Moved (B)"]) == row["mem"],
               f"excel: numbers of {layer}")
        expect(float(line["macs%"]) == row["macs%"], f"excel: share of {layer}")


def check_charts():
    for chart in ("along", "memory", "roofline", "treemap"):
        picture = xml.etree.ElementTree.parse(folder / f"{chart}.svg").getroot()
        names = {"{http://www.w3.org/2000/svg}" + name: name for name in
                 ("title", "rect", "line", "circle", "text")}
        expect(all(element.tag in names for element in picture), f"{chart}: other elements")
        width, height = float(picture.get("width")), float(picture.get("height"))
        for element in picture.iter():
            for side, most in (("x", width), ("cx", width), ("y", height), ("cy", height)):
                if element.get(side) is not None:
                    expect(-1 <= float(element.get(side)) <= most + 1, f"{chart}: {element.attrib}")
        head = (folder / f"{chart}.png").read_bytes()[:24]
        expect(head[:8] == b"\x89PNG\r\n\x1a\n", f"{chart}: no PNG")
        expect(struct.unpack(">II", head[16:24]) == (2 * width, 2 * height), f"{chart}: its size")
    count = lambda chart, tag: sum(
        element.tag.endswith("}" + tag) for element in
        xml.etree.ElementTree.parse(folder / f"{chart}.svg").getroot())
    expect(count("roofline", "circle") == len(timed) + sum(row["time"] is None for row in rows),
           "roofline: a dot for each layer with a rate")
    expect(count("memory", "circle") == 1, "memory: one peak")


for check in (check_trace, check_trace_in_perfetto, check_model_explorer, check_excel, check_charts):
    check()
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
