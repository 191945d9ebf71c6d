"""The folder of a network, whose files are made once."""


class Kept:
    def __init__(self, out, name):
        self.name, self.path = name, out / name
        self.path.mkdir(parents=True, exist_ok=True)

    def __truediv__(self, file):
        return self.path / file

    def is_new(self, file):
        """True if a file has to be made, which is then said."""
        if (self.path / file).exists():
            return False
        print(f"{self.name}/{file}", flush=True)
        return True


def chosen(parser, names):
    """The names that the command line asks for, and the folder that it names."""
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="", choices=["", *names])
    args = parser.parse_args()
    return [name for name in names if args.only in ("", name)], args.out
