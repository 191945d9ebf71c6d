#!/usr/bin/python3
"""The published benchmark's own detectors, against the sizes that others publish for them, and its page, against rows
that are written down here."""

import argparse
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "published"))

import page  # noqa: E402
import run  # noqa: E402


class Detectors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import two_stage

        cls.cascade, cls.c4 = two_stage.cascade_rcnn().eval(), two_stage.mask_rcnn_c4().eval()

    def test_cascade_has_mmdetections_size(self):
        """69.17 M parameters are trained; the first layers are not."""
        body = self.cascade.backbone.body
        fixed = {id(each) for layer in (body.conv1, body.bn1, body.layer1) for each in layer.parameters()}
        trained = sum(each.numel() for each in self.cascade.parameters() if id(each) not in fixed)
        self.assertEqual(round(trained / 1e6, 2), 69.17)

    def test_c4_has_detectron2s_size(self):
        """36 million parameters; the file of the trained one has 137.42 MiB, with the norms' statistics."""
        parameters = {id(each): each.numel() for each in self.c4.parameters()}
        statistics = {id(each): each.numel() for each in self.c4.buffers()}
        self.assertEqual(round(sum(parameters.values()) / 1e6), 36)
        self.assertEqual(round(4 * (sum(parameters.values()) + sum(statistics.values())) / 2**20, 2), 137.42)

    def test_cascade_without_corrections_is_one_stage(self):
        """Stages that agree and correct nothing find what torchvision finds with one of them."""
        import torch

        cascade, usual = self.cascade, self.cascade.roi_heads._usual[0]
        features = {"0": torch.rand(1, 256, 16, 16), "1": torch.rand(1, 256, 8, 8), "2": torch.rand(1, 256, 4, 4),
                    "3": torch.rand(1, 256, 2, 2)}  # fmt: skip
        boxes, shapes = [torch.tensor([[2.0, 3, 30, 40], [5, 5, 60, 33], [10, 1, 20, 60]])], [(64, 64)]
        first = cascade.roi_heads.stages[0]
        with torch.no_grad():
            for stage in cascade.roi_heads.stages:
                stage.load_state_dict(first.state_dict())
                stage.cls_score.weight.mul_(30)
                stage.bbox_pred.weight.zero_()
                stage.bbox_pred.bias.zero_()
            for stage in cascade.roi_heads.stages[1:]:
                stage.load_state_dict(first.state_dict())
            (found,), _ = cascade.roi_heads(features, boxes, shapes)
            logits = first(usual.box_roi_pool(features, boxes, shapes))[0]
            (want,), (scores,), (labels,) = usual.postprocess_detections(logits, torch.zeros(3, 4 * 81), boxes, shapes)
        self.assertGreater(len(want), 0)
        self.assertEqual(found["labels"].tolist(), labels.tolist())
        torch.testing.assert_close(found["boxes"], want)
        torch.testing.assert_close(found["scores"], scores)


def row(backend, precision, median, speed_up, n=50, base=False, sqnr=None):
    return {"backend": backend, "precision": precision, "base": base, "median_s": median, "result": "",
            "reason": "", "withheld": "" if speed_up else "too few blocks", "speed_up": speed_up,
            "speed_up_interval": speed_up and [0.98 * speed_up, 1.02 * speed_up], "speed_up_p99": None,
            "median_interval_s": [0.9 * median, 1.1 * median], "median_fps": 1 / median, "mean_fps": 1 / median,
            "mean_s": median, "p99_s": None, "std_s": 0.0, "n": n, "cv": 0.01, "fastest": False, "waited": 0.0,
            "matched_boxes": None, "relative_error": 1e-6, "sqnr_db": sqnr}  # fmt: skip


def document(rows):
    return {"tables": {"variants": {"rows": rows}}, "machine": {"cpu": "a CPU", "load": "0.5", "isa": "avx2", "kernel": "Linux"},
            "facts": {"models": [{"seconds": 60, "variants": []}], "method": {"max_seconds": 30}, "started": "now"}}


class Page(unittest.TestCase):
    def setUp(self):
        one = run.Comparison(network="resnet50", export="traced", script="resnet50.traced.pt")
        slow = run.Comparison(network="maskrcnn_resnet50_fpn", export="traced", raw=True)
        self.text = page.text_of([
            (one, document([row("torch:mode=eager", "fp32", 0.1, 1.0, base=True), row("onnxruntime", "fp32", 0.08, 1.25),
                            row("openvino", "fp32", 0.0625, 1.6), row("openvino", "int8", 0.02, 5.0, sqnr=36.5)])),
            (slow, document([row("torch:mode=eager", "fp32", 3.0, 1.0, n=4, base=True), row("openvino", "fp32", 2.0, None, n=3)])),
        ], {})  # fmt: skip

    def test_the_same_precision_comes_first(self):
        same = self.text.index("fp32 against fp32: up to 1.60× [1.57, 1.63] over Torch eager")
        every = self.text.index("In any precision: up to 5.00× [4.90, 5.10] over Torch eager in fp32")
        self.assertLess(same, every)
        self.assertIn("OpenVINO in int8, whose answer is at 36.5 dB.", self.text)
        self.assertIn("| OpenVINO | 1.60× [1.57, 1.63] | OpenVINO int8 | 5.00× [4.90, 5.10] | 36.5 dB |", self.text)

    def test_few_runs_have_a_reason(self):
        self.assertIn("- Torch eager fp32, OpenVINO fp32: fewer than 6 inferences: one takes 2.000 s, and all rows had 30 s", self.text)
        self.assertEqual(self.text.count("fewer than 6"), 1)

    def test_rows_that_cannot_exist_are_listed(self):
        for word in ("TensorRT", "fp16", "torch.compile"):
            self.assertIn(word, self.text[self.text.index("## What is not there"):])

    def test_hybrids_have_a_table(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "a.json").write_text(json.dumps({
                "model": "retinanet_resnet50_fpn", "image": [256, 384], "precision": "bf16", "matched": 0.92, "why_not": "",
                "speedup": {"median": 2.5, "low": 2.4, "high": 2.6, "runs": 6, "least": 2.3}, "replaced": {"backbone": "openvino"}}))
            self.assertIn("| RetinaNet | 256×384 | bf16 | 2.50× [2.40, 2.60] | 6 | 92 % | OpenVINO |", page.hybrid_table(folder))
        self.assertEqual(page.hybrid_table(folder), "")

    def test_comparisons_have_names_of_their_own(self):
        every = list(run.comparisons())
        self.assertEqual(len({one.name for one in every}), len(every))
        self.assertEqual({one.network for one in every}, set(page.NAMES))
        for one in every:
            self.assertIn("openvino", " ".join(one.command("strata", "out", 0)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for option in ("--strata", "--engines", "--models"):
        parser.add_argument(option)
    unittest.main(argv=[sys.argv[0], *parser.parse_known_args()[1]])
