"""tests/run_tidy.py BUILD [JOBS [PREFIX...]]: clang-tidy over the files that BUILD compiles.

    python3 -B tests/run_tidy.py build/tidy 2 src/core/ops engines

Most of clang-tidy's time goes to the headers of the standard library, so files with the same flags
are looked at together, as in cmake/unity.cmake, but from all rooms. Each finding is printed once; the
exit code is 1 if there are any. A prefix is the beginning of a path in the repository.

misc-unused-using-decls looks at the main file alone, which a group has instead of our own; the text of
each file is searched in its place.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST = 24  # files in a group
OURS = f"^{ROOT}/(include|src|engines|tests|bench|examples)/"
FINDING = re.compile(r"^(/[^:]+):(\d+):(\d+): (?:warning|error): (.*)$")


def flags_of(entry):
    """The options that change the meaning of a file: definitions and folders of headers."""
    words, flags = iter(shlex.split(entry["command"])), []
    for word in words:
        if word == "-isystem":
            flags.append(word + next(words))
        elif re.match("-[DUI]", word) and not word.endswith("_EXPORTS"):
            flags.append(word)
    return tuple(sorted(set(flags)))


def names_of(file):
    """Names that a file declares; code that clang-format has been over does so in column 0."""
    names = set()
    for line in pathlib.Path(file).read_text().splitlines():
        if match := re.match(r"[A-Z_]{4,}\(([^)]*)", line):  # TEST and its like
            names.add(match[1])
        elif re.match(r"[A-Za-z]", line) and not re.match("namespace|template|using [^=]*;", line):
            head = re.split(r"[(\[{;=]| : ", re.sub('^extern "C"', "", line))[0].strip()
            names.update(re.findall(r"\w+$", head))
    return names - {"main", "operator", "static_assert"}


def unused_names(file):
    """Lines of clang-tidy's form for names that a file takes over and never writes again."""
    code = re.sub("//.*", "", pathlib.Path(file).read_text())
    for match in re.finditer(r"^ *(?:using [\w:]*::(\w+);|namespace (\w+) = )", code, re.MULTILINE):
        name = match[1] or match[2]
        if len(re.findall(rf"\b{name}\b", code)) == 1:
            line = code.count("\n", 0, match.end()) + 1
            yield f"{file}:{line}:1: warning: '{name}' is unused [misc-unused-using-decls]\n"


def groups_of(files):
    """No two files of a group declare the same name."""
    groups = []
    for file in files:
        names = names_of(file)
        for members, taken in groups:
            if len(members) < MOST and not names & taken:
                members.append(file)
                taken |= names
                break
        else:
            groups.append(([file], names))
    return [members for members, _ in groups]


class Tidy:
    def __init__(self, build):
        self.folder = pathlib.Path(build).resolve() / "groups"
        self.folder.mkdir(exist_ok=True)
        self.count = 0

    def write(self, files, flags):
        """A source file of the group in a folder of its own, and the command that compiles it."""
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir(exist_ok=True)
        source = folder / "group.cc"
        # Headers first: a file's own name that is also theirs is then an error in that file.
        headers = set()
        for file in map(pathlib.Path, files):
            for name in re.findall(r'^#include "(.*\.h)"', file.read_text(), re.MULTILINE):
                beside = file.parent / name
                headers.add(f'#include "{beside if beside.exists() else name}"')
        sources = ((f"#define main main_{i}\n" if " main(" in pathlib.Path(file).read_text() else "") +
                   f'#include "{file}"\n#undef main\n' for i, file in enumerate(files))
        source.write_text("\n".join([*sorted(headers), *sources]))
        command = ["clang++", "-std=c++20", "-w", *flags, "-c", str(source)]
        entry = {"directory": str(folder), "file": str(source), "arguments": command}
        (folder / "compile_commands.json").write_text(json.dumps([entry]))
        return source, command

    def look(self, files, flags):
        """Text of clang-tidy, and the files that do not compile beside the others."""
        source, command = self.write(files, flags)
        if len(files) > 1:
            compiled = subprocess.run([*command, "-fsyntax-only", "-ferror-limit=0"],
                                      capture_output=True, text=True)
            if compiled.returncode != 0:
                wrong = {match[1] for match in map(FINDING.match, compiled.stderr.splitlines())
                         if match and match[1] in files}
                if not wrong or len(wrong) == len(files):
                    wrong = set(files[len(files) // 2:])
                return "", [[f for f in files if f not in wrong], [f for f in files if f in wrong]]
        tidy = subprocess.run(["clang-tidy", "-p", str(source.parent), "--quiet",
                               "--checks=-bugprone-suspicious-include", f"--header-filter={OURS}",
                               str(source)], capture_output=True, text=True)
        return tidy.stdout + "".join(line for file in files for line in unused_names(file)), []


def main():
    build, jobs, prefixes = sys.argv[1], int((sys.argv[2:] or ["2"])[0]), sys.argv[3:] or [""]
    by_flags, seen = {}, set()
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        file = entry["file"]
        group = "/Unity/" in file  # of libtorch's engine, whose headers take half a minute
        path = "engines/torch/" if group else file.removeprefix(f"{ROOT}/")
        if file in seen or not path.startswith(tuple(prefixes)):
            continue
        seen.add(file)
        if group or not path.startswith("build/"):
            by_flags.setdefault(flags_of(entry), []).append(file)
    tidy, reported = Tidy(build), set()
    with ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(tidy.look, members, flags): (members, flags)
                   for flags, files in by_flags.items() for members in groups_of(sorted(files))}
        while running:
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                members, flags = running.pop(done)
                text, apart = done.result()
                for part in apart:
                    running[pool.submit(tidy.look, part, flags)] = (part, flags)
                shown = False
                for line in text.splitlines():
                    if match := FINDING.match(line):
                        shown = match.groups() not in reported
                        reported.add(match.groups())
                    if shown:
                        print(line, flush=True)
                if not apart:
                    print(f"({len(members)} files, {len(running)} groups left)", file=sys.stderr,
                          flush=True)
    print(f"{len(seen)} files, {len(reported)} findings")
    return 1 if reported else 0


if __name__ == "__main__":
    sys.exit(main())
