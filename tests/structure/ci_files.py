"""Workflows, the action, the hook, the Dockerfile and docs/ci.md name only what exists.

That is: targets of the Makefile, commands of strata with their options (data/options/), files of this
repository, and inputs of the action. Actions of others are pinned to a commit. Prints what is wrong, and
exits with 1 if anything is.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = [".github/workflows/*.yml", ".github/workflows/*.sh", ".github/actions/*/*.yml",
         ".github/actions/*/*.sh", ".pre-commit-hooks.yaml", "Dockerfile", "docs/ci.md"]
# Where a command begins: at the start of a line, or after a mark of YAML, Markdown or the shell.
BEGIN = r"(?:^[ \t]*(?:- )?(?:(?:run|name|entry): |RUN |\$ )?|[|;&(`] ?)"
MAKE = re.compile(BEGIN + r"make((?:[ \t]+[A-Z_]+=\S+|[ \t]+-\S+)*[ \t]+[a-z][\w-]*)", re.M)
STRATA = re.compile(BEGIN + r"(?:[\w./-]*/)?(?:strata|\"\$strata\"|docker run [^\n]*\bstrata)"
                    r"[ \t]+([a-z]+)\b([^\n|;&`)]*)", re.M)
OPTION = re.compile(r"(?<=\s)--?[a-z][a-z-]*")
USES = re.compile(r"\buses: *(\S+)(.*)")
PATH = re.compile(r"(?<![\w./$}*-])(?:\.github|cmake|data|deps|docs|engines|examples|python|src|tests)/[\w./-]*\w")
ACTION = re.compile(r"uses: \S*/actions/check(?:@\S+)?\n( *)with:\n((?:\1 +.*\n)*)")


def make_targets():
    lines = (ROOT / "Makefile").read_text()
    return set(re.findall(r"^([a-z][a-z-]*):", lines, re.M))


def options_of_commands():
    """The options of each command: its own rows, those of the files that it names, and a model's."""
    rows, heads = {}, {}
    for path in (ROOT / "data/options").glob("*.txt"):
        text = path.read_text()
        rows[path.name] = set()
        for line in re.findall(r"^-\S.*", text, re.M):
            rows[path.name] |= set(re.findall(r"--?[a-z][a-z-]*", line.split(" ")[0]))
        heads[path.name] = text.split("\n", 1)[0]
    commands = {}
    for name, head in heads.items():
        found = re.match(r"# Options of `strata ([a-z]+)", head)  # `zoo export` counts as `zoo`
        if found:
            own = commands.setdefault(found[1], {"--help"})
            # The program adds --format and --chart to every table.
            for more in [name, "model.txt", *re.findall(r"[a-z_]+\.txt", head)]:
                own |= rows[more] | ({"--format", "--chart"} if more == "table.txt" else set())
    return commands


def action_inputs():
    text = (ROOT / ".github/actions/check/action.yml").read_text()
    part = text.split("\ninputs:\n")[1].split("\noutputs:\n")[0]
    return set(re.findall(r"^  ([a-z-]+):$", part, re.M))


def code_of(name, text):
    """Without comments and with lines that go on joined; of a page, blocks and what is in backticks."""
    if name.endswith(".md"):
        kept, block = [], False
        for line in text.split("\n"):
            fence = line.startswith("```")
            if fence:
                block = not block
            elif block or line.startswith("    "):
                kept.append(line)
            else:
                kept.append(" ".join(re.findall(r"`[^`]+`", line)))
        text = "\n".join(kept)
    text = re.sub(r"(^|[ \t])#[ \t!].*", "", text, flags=re.M)
    return re.sub(r"\\\n[ \t]*", " ", text)


def faults(name, text, targets, commands, inputs):
    found = []
    code = code_of(name, text)
    for words in MAKE.findall(code):
        target = words.split()[-1]
        if target not in targets:
            found.append(f"make {target}: the Makefile has no such target")
    for command, rest in STRATA.findall(code):
        if command not in commands:
            found.append(f"strata {command}: there is no such command")
            continue
        for option in OPTION.findall(rest):
            if option not in commands[command]:
                found.append(f"strata {command} {option}: there is no such option")
    for action, rest in USES.findall(text):
        if action.startswith("./"):
            place = ROOT / action
            if not (place.is_file() or (place / "action.yml").is_file()):
                found.append(f"uses {action}: there is no such file")
        elif not action.startswith("OWNER/") and not re.fullmatch(r"\S+@[0-9a-f]{40}", action):
            found.append(f"uses {action}: pin it to a commit")
        elif "@" in action and re.search(r"@[0-9a-f]{40}$", action) and not re.match(r"  # v\d", rest):
            found.append(f"uses {action}: say which version that commit is")
    for _, block in ACTION.findall(text):
        for key in re.findall(r"^ *([a-z-]+):", block, re.M):
            if key not in inputs:
                found.append(f"with {key}: the action has no such input")
    if not name.endswith(".md"):  # Docs.LinksLeadSomewhere looks at the pages
        for path in PATH.findall(code):
            if not (ROOT / path).exists():
                found.append(f"{path}: there is no such file")
    if name.startswith(".github/workflows/") and name.endswith(".yml"):
        if not text.startswith("# This workflow has been linted and not run.\n"):
            found.append("the first line has to say whether the workflow has been run")
        if "\npermissions:\n  contents: read\n" not in text:
            found.append("the workflow needs `permissions: contents: read` at the top")
    return list(dict.fromkeys(found))


def check_the_search(facts):
    """The faults that this looks for are found, and nothing else is."""
    text = """
      - uses: actions/checkout@v4
      - uses: ./.github/actions/nowhere
      - uses: ./.github/actions/check
        with:
          model: m.onnx
          bugdet: macs=1G
      - run: apt-get install make git
      - run: make sandwich && make -j2 PREFIX=/opt test
      - run: |
          tests/no_such_file.sh
          "$strata" check m.onnx \\
            --budget b.toml --githbu | strata stot -
          build/release/strata stat m.onnx --format md --dim n=1 -o out.md
          strata is a profiler  # make love, strata war
    """
    expected = {
        "uses actions/checkout@v4: pin it to a commit",
        "uses ./.github/actions/nowhere: there is no such file",
        "with bugdet: the action has no such input",
        "make sandwich: the Makefile has no such target",
        "tests/no_such_file.sh: there is no such file",
        "strata check --githbu: there is no such option",
        "strata stot: there is no such command",
        "strata is: there is no such command",
    }
    found = set(faults("some.yml", text, *facts))
    return [f"the search itself: {line}" for line in sorted(found ^ expected)]


def main():
    facts = make_targets(), options_of_commands(), action_inputs()
    wrong = check_the_search(facts)
    for pattern in FILES:
        paths = sorted(ROOT.glob(pattern))
        if not paths:
            wrong.append(f"{pattern}: there is no such file")
        for path in paths:
            name = path.relative_to(ROOT).as_posix()
            wrong += [f"{name}: {line}" for line in faults(name, path.read_text(), *facts)]
            if path.suffix == ".sh" and not path.stat().st_mode & 0o100:
                wrong.append(f"{name}: is not executable")
    print("\n".join(wrong) or "workflows, action, hook, Dockerfile and docs/ci.md name only what exists")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
