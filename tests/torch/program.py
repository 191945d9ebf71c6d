"""Runs strata on a file, and reads what it prints."""

import json
import subprocess


class Strata:
    """The program, with the engines of one PyTorch."""

    def __init__(self, program, engines):
        self.program = program
        self.engines = engines

    def run(self, *words, env=None):
        from os import environ

        return subprocess.run(
            [self.program, *words],
            capture_output=True,
            text=True,
            timeout=600,
            env={**environ, "STRATA_ENGINE_PATH": self.engines, **(env or {})},
        )

    def document(self, *words):
        done = self.run(*words, "--format", "json")
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def rows(self, *words):
        return self.document("stat", *words)["tables"]["layers"]["rows"]


class Judge:
    """Counts what was right, and keeps sentences about what was not."""

    def __init__(self):
        self.passed = 0
        self.mistakes = []

    def equal(self, what, found, wanted):
        if found == wanted:
            self.passed += 1
        else:
            self.mistakes.append(f"{what}: {found!r} where {wanted!r} is right")

    def true(self, what, is_true):
        self.equal(what, bool(is_true), True)

    def finish(self):
        for mistake in self.mistakes[:40]:
            print(mistake)
        print(f"{self.passed} passed, {len(self.mistakes)} failed")
        return 1 if self.mistakes else 0
