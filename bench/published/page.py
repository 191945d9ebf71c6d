"""The page docs/published-benchmark.md, from the documents that `strata bench` wrote."""

import csv
import json
import pathlib

HERE = pathlib.Path(__file__).parent
PUBLISHED = HERE.parent.parent / "tests" / "golden" / "torchblade_benchmark.csv"
NAMES = {
    "resnet50": "ResNet-50",
    "mobilenet_v2": "MobileNetV2",
    "vit_b_16": "ViT-B/16",
    "bert": "BERT",
    "retinanet_resnet50_fpn": "RetinaNet",
    "fasterrcnn_resnet50_fpn": "Faster R-CNN",
    "maskrcnn_resnet50_fpn": "Mask R-CNN",
    "maskrcnn_resnet50_c4": "Mask R-CNN C4",
    "cascadercnn_resnet50_fpn": "Cascade R-CNN",
}
BACKENDS = {
    "torch:mode=eager": "Torch eager",
    "torch:mode=frozen": "TorchScript frozen",
    "torch:mode=optimized": "TorchScript optimized",
    "onnxruntime": "ONNX Runtime",
    "openvino": "OpenVINO",
}
# Random weights make more of rounding than trained ones do: bf16 alone leaves 20 dB of MobileNetV2's answer.
MIN_SQNR_DB = 10
# How much nearer to fp32's an answer in bf16 may be than that of AOTInductor's package, whose weights and
# operators are all in bf16, before the page says so. A choice, made after a first run, in which rows were
# either up to 5 dB nearer, as casts by rule leave some operators in fp32, or 9 to 31 dB.
TOO_NEAR_DB = 7
GOAL = 5.0
FEWEST = 6  # inferences: with fewer, no interval for the median has 95 %

START = """# The published benchmark, redone

This page is written by `make published`; do not edit it.

TorchBlade published a table of detectors, traced and scripted, Torch against an optimizing backend, in fp32
and fp16 on a GPU: *{headline}*. This is the same table for a processor, made by `strata bench`
([bench.md](bench.md)) on networks with random weights: Torch eager is the base, and TorchScript (frozen,
and optimized for inference), AOTInductor, ONNX Runtime and OpenVINO are beside it, in fp32, bf16 and int8. The
hybrids of `strata.optimize`, which leave in Torch what an engine cannot run, have a table of their own.

- **Answers are compared before times.** A row says how far its answer is from Torch eager's in fp32: the
  relative error, in bf16 and int8 the ratio of signal to noise (SQNR), of detectors the share of boxes that
  are found again. A variant with a wrong answer has no time; an answer in bf16 or int8 is wrong below
  {limit} dB (`--min-sqnr`), since random weights make more of rounding than trained ones do.
- **Speed-ups have 95 % intervals**, from interleaved blocks in several processes for each variant. If an
  interval cannot be stated, the row says `withheld`.
- **Weights are random**, with batch normalization's statistics taken from random images, and strata
  calibrates int8 on random samples. Times do not depend on that; accuracy does: what is written here about
  the answers in bf16 and int8 says that the arithmetic is right, and nothing about a trained network
  ([trained.md](trained.md) does).
- Images are 224×224 for classifiers, and 256×384 for detectors; BERT has 12 layers and reads 128 tokens. Mask R-CNN on C4 and
  Cascade R-CNN are built from torchvision's parts (`bench/published/two_stage.py`) and have the sizes that Detectron2
  and MMDetection publish.

    make published    # half an hour for the models, once; then 40 minutes on two quiet cores

The command keeps what it measured in `build/published/runs`, does again only what has changed, and is best
left alone on the machine while it runs.
"""


EVERY = """
## Every comparison

The fastest of a comparison is bold where it is clear. `n` inferences count; times are without the time that
a process waited for a processor.
"""

ABSENT = """\
- **fp16**: this processor has no kernels for it (AVX512-FP16), so that engines would compute in fp32 between conversions. The
  published fp16 rows are of a GPU; bf16 is in their place here.
- **TensorRT**, the published TorchBlade's backend, and CUDA need a GPU of NVIDIA's.
- torch.compile runs in Python alone and compiles what AOTInductor compiles, which is measured; `strata.bench(module,
  engines=["torch_compile"])` measures it for any module.
- PyTorch runs in int8 only what was quantized in PyTorch before it was saved, `optimize_for_inference` computes in
  fp32 whatever it is told, and ONNX Runtime has no kernels for bf16 on a CPU: they were not asked for these.
- AOTInductor compiles what torch 2 exports. torchvision, which the detectors are from, has no build for the
  CPU's torch 2.13, and Debian's torch 1.13 has no AOTInductor.
- A detector returns dictionaries, which cannot be traced. The traced ones are wrapped in a module that
  returns the dictionaries' tensors.
- Of detectors, the number of detections, the boxes, labels and masks of every image are compared, and
  scores are not.
- A package of AOTInductor has a fixed batch, number of threads and precision, so there is one for each; its
  constants are folded and packed when it is compiled (`freezing`).
"""

NAMES_OF_ENGINES = {"onnxruntime": "ONNX Runtime", "openvino": "OpenVINO", "compile": "torch.compile"}
HYBRIDS = """
## Hybrids

`strata.optimize` ([optimize-modules.md](optimize-modules.md)) lets an engine run backbone and heads, and leaves the rest in
torch 1.13: processor time at 1 thread, by turns with the same module in eager mode. A box is matched if a box with the same
label overlaps it by more than 0.9, and its mask, too. Weights are random: in bf16 and int8 the share says nothing about
trained detectors, of which [optimize-modules.md](optimize-modules.md) has three.

"""

COLUMNS = """
## The published columns

The columns of `strata bench --layout torchblade`. The original heads its seconds with “(ms)”, its Mean(FPS)
is a mean of rates, and its p99 is of 200 samples; here seconds are seconds, Mean(FPS) is samples over time,
and a p99 is absent where there are too few samples for one.

"""


def seconds_text(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1:
            return f"{four(seconds * scale)} {unit}"
    return f"{four(seconds * 1e9)} ns"


def four(number):
    """Four significant digits, without an exponent."""
    whole = len(str(int(abs(number))))
    return f"{number:.{max(0, 4 - whole)}f}"


def six(number):
    return "–" if number is None else f"{number:.6g}"


def backend_text(row):
    name = "AOTInductor" if "package=" in row["backend"] else BACKENDS.get(row["backend"], row["backend"])
    return name


def difference_text(row):
    if row["base"]:
        return "base"
    if row["matched_boxes"] is not None:
        return f"{100 * row['matched_boxes']:.0f} % of boxes"
    if row["relative_error"] is None:
        return ""
    if row["relative_error"] == 0:
        return "equal"
    if row["precision"] != "fp32" and row["sqnr_db"] is not None:
        return f"{row['sqnr_db']:.1f} dB"
    return f"{row['relative_error']:.1e}"


def rounding_of(results):
    """The SQNR of each network that computing all of it in bf16 leaves."""
    found = {}
    for one, document in results:
        for row in rows_of(document):
            if "package=" in row["backend"] and row["precision"] == "bf16" and row["sqnr_db"] is not None:
                found[one.network] = min(row["sqnr_db"], found.get(one.network, row["sqnr_db"]))
    return found


def is_too_near(row, rounding):
    """True if a row in bf16 may have been computed in fp32, in part; `rounding` in dB, or None."""
    if row["precision"] != "bf16" or row["median_s"] is None or rounding is None:
        return False
    return row["relative_error"] == 0 or (row["sqnr_db"] or 0) > rounding + TOO_NEAR_DB


def measured(document):
    """The rows that have a right answer, and a time."""
    return [row for row in rows_of(document)
            if row["median_s"] is not None and row["result"] != "wrong answer"]


def speed_up_text(row):
    if row["base"]:
        return "base"
    if row["withheld"] or row["speed_up"] is None:
        return "withheld"
    low, high = row["speed_up_interval"]
    text = f"{row['speed_up']:.2f}× [{low:.2f}, {high:.2f}]"
    return f"**{text}**" if row["fastest"] else text


def rows_of(document):
    return document["tables"]["variants"]["rows"]


def title_of(one):
    images = f"batch {one.batch}"
    threads = f"{one.threads} thread" + ("s" if one.threads > 1 else "")
    raw = ", without what follows the network" if one.raw else ""
    return f"{NAMES[one.network]}, {one.export}{raw}, {images}, {threads}"


def table(heads, rows):
    lines = ["| " + " | ".join(title for title, _ in heads) + " |",
             "|" + "|".join("---:" if right else "---" for _, right in heads) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def own_table(document, rounding):
    """The ordinary columns, of what was measured."""
    heads = [("Backend", False), ("Precision", False), ("Median", True), ("95 % interval", True),
             ("FPS", True), ("n", True), ("CV", True), ("Speed-up", True), ("Answer", False)]
    lines = []
    for row in measured(document):
        interval = row["median_interval_s"]
        noisy = "!" if row["cv"] > 0.025 else ""
        lines.append([
            backend_text(row), row["precision"], seconds_text(row["median_s"]),
            f"{seconds_text(interval[0])} – {seconds_text(interval[1])}" if interval else "withheld",
            four(row["median_fps"]), str(row["n"]), f"{100 * row['cv']:.1f} %{noisy}" if row["n"] > 1 else "–",
            speed_up_text(row), difference_text(row) + (" ?" if is_too_near(row, rounding) else "")])
    return table(heads, lines)


def sentences(document, rounding):
    """Why rows have no times, each reason once."""
    reasons, slow = {}, []
    for row in rows_of(document):
        who = f"{backend_text(row)} {row['precision']}"
        if is_too_near(row, rounding):
            why = (f"the answer (`?`) is more than {TOO_NEAR_DB} dB nearer to fp32's than AOTInductor's in "
                   f"bf16 ({rounding:.1f} dB): part of it may have been computed in fp32")
        elif row["result"] in ("refused", "crashed", "timed out", "out of memory", "wrong answer"):
            why = f"{row['result']}: {row['reason']}"
        elif row["withheld"]:
            why = f"speed-up withheld: {row['withheld']}"
        else:
            why = ""
        if why:
            reasons.setdefault(why, []).append(who)
        if row["median_s"] is not None and 0 < row["n"] < FEWEST:
            limit = document["facts"]["method"]["max_seconds"]
            few = f"fewer than {FEWEST} inferences: one takes {seconds_text(row['median_s'])}, and all rows had {limit:g} s"
            slow.append((who, few))
    if slow:  # the slowest is reason enough
        reasons[slow[-1][1]] = [who for who, _ in slow]
    return "".join(f"- {', '.join(who)}: {why}\n" for why, who in reasons.items())


def published_table(results):
    """The columns of `strata bench --layout torchblade`."""
    heads = [("Model", False), ("Export", False), ("Backend", False), ("Precision", False),
             ("Median(FPS)", True), ("Mean(FPS)", True), ("Median(s)", True), ("Mean(s)", True),
             ("99th_p(s)", True), ("std_dev(s)", True)]
    lines = []
    for one, document in results:
        for row in measured(document):
            model = NAMES[one.network] + (f"_b{one.batch}" if one.batch > 1 else "") + ("" if not one.raw else "_raw")
            export = one.export if row["backend"].startswith("torch:mode") else (
                "exported" if "package=" in row["backend"] else "onnx")
            backend = backend_text(row) + (f" ({one.threads} threads)" if one.threads > 1 else "")
            lines.append([model, export, backend, row["precision"], *(
                six(row[key]) for key in ("median_fps", "mean_fps", "median_s", "mean_s", "p99_s")),
                six(row["std_s"] if row["n"] > 1 else None)])
    return table(heads, lines)


def best(document, precision=None):
    """The largest speed-up whose interval is above 1; in this precision, if one is given."""
    sure = [row for row in measured(document)
            if not row["withheld"] and row["speed_up"] and row["speed_up_interval"][0] > 1
            and precision in (None, row["precision"])]
    return max(sure, key=lambda row: row["speed_up"], default=None)


def best_table(results):
    lines = []
    for one, document in results:
        base = next((row for row in rows_of(document) if row["base"]), None)
        same, row = best(document, "fp32"), best(document)
        lines.append([title_of(one), seconds_text(base["median_s"]) if base and base["median_s"] else "–",
                      backend_text(same) if same else "none that is surely faster",
                      speed_up_text(same).strip("*") if same else "–",
                      f"{backend_text(row)} {row['precision']}" if row else "–",
                      speed_up_text(row).strip("*") if row else "–",
                      difference_text(row) if row else ""])
    heads = [("Comparison", False), ("Torch eager fp32", True), ("Fastest in fp32", False), ("Speed-up", True),
             ("Fastest in any precision", False), ("Speed-up", True), ("Its answer", False)]
    return table(heads, lines)


def goal_text(results):
    found = [(best(document), one, document) for one, document in results
             if one.network == "resnet50" and one.export == "traced"]
    found = [own for own in found if own[0]]
    if not found:
        return ""
    row, one, document = max(found, key=lambda own: own[0]["speed_up"])
    text = (f"The largest speed-up over Torch eager in fp32 on ResNet-50 is {speed_up_text(row).strip('*')}, "
            f"by {backend_text(row)} in {row['precision']} ({title_of(one)}); {GOAL:g}× was the goal.")
    same = next((own for own in measured(document) if own["backend"] == row["backend"]
                 and own["precision"] == "fp32" and own["speed_up"]), None)
    if row["speed_up"] < GOAL and same and row["precision"] != "fp32":
        text += (f" Of that, {same['speed_up']:.2f}× is what the backend gains in fp32, and "
                 f"{same['median_s'] / row['median_s']:.2f}× what {row['precision']} gains over that.")
    return text + "\n"


def headline_text(results):
    """The same precision against the same precision, and then the best at whatever quality its row says."""
    lines = []
    for precision, start in (("fp32", "**fp32 against fp32: up to {} over Torch eager**"),
                             (None, "**In any precision: up to {} over Torch eager in fp32**")):
        found = [(best(document, precision), one) for one, document in results]
        found = [(row, one) for row, one in found if row]
        if not found:
            lines.append(f"Nothing is surely faster than Torch eager{f' in {precision}' if precision else ''}.\n")
            continue
        row, one = max(found, key=lambda own: own[0]["speed_up"])
        tail = f", {row['speed_up_p99']:.2f}× at p99" if row["speed_up_p99"] else ""
        answer = f", whose answer is at {difference_text(row)}" if precision is None else ""
        lines.append(f"{start.format(speed_up_text(row).strip('*'))}: {title_of(one)}, {backend_text(row)} in "
                     f"{row['precision']}{tail}{answer}.\n")
    return "\n".join(lines)


def hybrid_table(folder):
    """The detectors after strata.optimize: rows that bench/optimize/detectors.py printed."""
    lines = []
    for file in sorted(folder.glob("*.json")) if folder.exists() else []:
        row = json.loads(file.read_text())
        speed = row["speedup"]
        engines = sorted(set(row["replaced"].values()))
        lines.append([
            NAMES[row["model"]], "×".join(map(str, row["image"])), row["precision"],
            f"{speed['median']:.2f}× [{speed['low']:.2f}, {speed['high']:.2f}]" if speed and speed["runs"] >= FEWEST
            else f"{speed['median']:.2f}×" if speed else "–", str(speed["runs"]) if speed else "–",
            f"{100 * row['matched']:.0f} %" if row["matched"] is not None else "–",
            ", ".join(NAMES_OF_ENGINES.get(each, each) for each in engines) or row["why_not"]])  # fmt: skip
    if not lines:
        return ""
    heads = [("Detector", False), ("Image", True), ("Precision", False), ("Speed-up over eager", True), ("Pairs of runs", True),
             ("Boxes matched", True), ("Engine", False)]
    return HYBRIDS + table(heads, lines)


def machine_text(results):
    documents = [document for _, document in results]
    machine = documents[0]["machine"]
    engines = sorted({process["engine"] for document in documents
                      for model in document["facts"]["models"]
                      for variant in model["variants"] for process in variant["processes"]})
    waited = max((row["waited"] or 0) for document in documents for row in rows_of(document))
    loads = [float(document["machine"].get("load", 0)) for document in documents]
    minutes = sum(model["seconds"] for document in documents for model in document["facts"]["models"]) / 60
    rows = [row for document in documents for row in measured(document)]
    noisy = sum(1 for row in rows if row["cv"] > 0.025)
    started = min(document["facts"]["started"] for document in documents)
    limits = [document["facts"]["method"]["max_seconds"] for document in documents]
    limits_text = " to ".join(f"{own:g}" for own in sorted({min(limits), max(limits)}))
    shortened = sum(1 for (one, _), limit in zip(results, limits) if limit < one.seconds)
    short = (f"- {shortened} of {len(results)} comparisons were given less time than `make published` gives "
             "them, so that\n  more of their speed-ups are withheld.\n" if shortened else "")
    facts = [machine.get("cpu"), f"{machine.get('cores')} cores", machine.get("isa"),
             f"L2 {machine.get('l2')}", f"L3 {machine.get('l3')}", f"memory {machine.get('memory')}",
             machine.get("kernel")]
    return (
        f"- Machine: {', '.join(facts)}\n"
        f"- Engines: {', '.join(engines)}\n"
        f"- A comparison took {limits_text} s, or less where every speed-up was known to 1 %.\n"
        f"{short}"
        f"- Begun {started}; {minutes:.0f} minutes of measuring. The load before a comparison was at most\n"
        f"  {max(loads):.1f}, and processes waited for a processor at most {100 * waited:.1f} % of the time\n"
        "  (which is taken off).\n"
        f"- {noisy} of {len(rows)} rows have a coefficient of variation above 2.5 % (marked `!`). A p99\n"
        "  needs 662 samples, which only short inferences have.\n")


def published_headline():
    """The largest ratio of median FPS in the published table, of one model, export and precision."""
    with PUBLISHED.open() as file:
        rows = list(csv.DictReader(file))
    base = {(row["model"], row["export"], row["precision"]): row for row in rows if row["backend"] == "Torch"}
    ratios = [float(row["median_fps"]) / float(base[key]["median_fps"]) for row in rows
              for key in [(row["model"], row["export"], row["precision"])]
              if row["backend"] != "Torch" and key in base]
    return f"up to {max(ratios):.1f}×"


def text_of(results, notes, hybrids=None):
    start = START.format(headline=published_headline(), limit=MIN_SQNR_DB)
    parts = [start, "\n## What came of it\n\n", headline_text(results), "\n", goal_text(results), "\n",
             best_table(results), "\n", machine_text(results), EVERY]
    roundings = rounding_of(results)
    for one, document in results:
        rounding = roundings.get(one.network)
        parts += [f"\n### {title_of(one)}\n\n", own_table(document, rounding)]
        if why := sentences(document, rounding):
            parts += ["\n", why]
    if hybrids:
        parts.append(hybrid_table(hybrids))
    parts.append("\n## What is not there\n\n")
    for network, own in notes.items():
        if why := own.get("scripted"):
            said = f"`torch.jit.script` says “{why}”" if why[0].isupper() else why
            parts.append(f"- {NAMES[network]} is traced only: {said}.\n")
    return "".join([*parts, ABSENT, COLUMNS, published_table(results)])
