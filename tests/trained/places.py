"""Where things are: the repository, the packages that fetch.sh unpacked, the results."""

import dataclasses
import pathlib

SOURCE = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass(frozen=True)
class Places:
    out: pathlib.Path  # build/trained

    @property
    def packages(self):
        return self.out / "packages"

    def of(self, name):
        folder = self.out / "runs" / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def kept(self, name):
        """A network of tests/models."""
        return SOURCE / "tests/models" / name
