"""Results: one JSON file for each measurement, under docs/notebook/results/."""

import dataclasses
import json
import os
import pathlib

# Most entries of a value that stands in one line.
LONG = 8


@dataclasses.dataclass(frozen=True)
class Result:
    name: str
    commit: str
    date: str
    seconds: float
    depends: dict
    tools: dict
    command: str
    values: dict

    def text(self):
        """JSON with a line for each field, value and entry of a long value, so that differences are short."""
        fields = dataclasses.asdict(self)
        values = fields.pop("values")
        lines = [pair(key, value) for key, value in fields.items()]
        inner = [f"{json.dumps(key)}: {block(value, 3)}" for key, value in values.items()]
        return "{\n " + ",\n ".join([*lines, '"values": {\n  ' + ",\n  ".join(inner) + "\n }"]) + "\n}\n"


def pair(key, value):
    return f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"


def block(value, indent):
    """A value in one line, or with a line for each entry if there are many."""
    if not isinstance(value, dict) or len(value) <= LONG:
        return json.dumps(value, ensure_ascii=False)
    space = "\n" + " " * indent
    return "{" + space + f",{space}".join(pair(key, entry) for key, entry in value.items()) + space[:-1] + "}"


class Store:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def path(self, name):
        return self.folder / f"{name}.json"

    def read(self, name):
        """A result, or None if there is none or its file is damaged."""
        try:
            fields = json.loads(self.path(name).read_text(encoding="utf-8"))
            return Result(**{field.name: fields[field.name] for field in dataclasses.fields(Result)})
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, result):
        """Replaces a result as a whole: an interruption leaves the old one."""
        path = self.path(result.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(result.text(), encoding="utf-8")
        os.replace(part, path)
