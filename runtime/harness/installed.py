"""Whether a requirements file is met by what is installed, for base images without pip.

Understands `NAME` and `NAME OPERATOR VERSION, ...` with plain numeric versions, which is what a
requirements file usually holds. Anything else counts as missing: better to say so than to guess.
After `-c ` comes a constraint, which concerns only a package that is installed.

    python3 installed.py requirements.txt    # exit status 0: all met; 1: the rest is on stderr
"""

from __future__ import annotations

import operator
import re
import sys
from importlib import metadata

REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*((?:(?:[<>!=]=|[<>])\s*[0-9.]+[\s,]*)*)$")
COMPARISON = re.compile(r"([<>!=]=|[<>])\s*([0-9.]+)")
OPERATORS = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


def release(version: str) -> tuple[int, ...]:
    """The numbers of a version, `1.24.0.post1` as (1, 24), so that 1.24 equals 1.24.0."""
    numbers = [int(number) for number in re.sub(r"[^0-9.].*", "", version).split(".") if number]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def problem(requirement: str) -> str | None:
    """Why a requirement is not met, or None."""
    if requirement.startswith("-c "):
        why = problem(requirement[3:])
        return why if why and why.startswith("is installed as") else None
    match = REQUIREMENT.match(requirement)
    if not match:
        return "cannot be checked without pip"
    name, conditions = match.groups()
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return "is not installed"
    for comparison, wanted in COMPARISON.findall(conditions):
        if not OPERATORS[comparison](release(version), release(wanted)):
            return "is installed as %s" % version
    return None


def main(path: str) -> int:
    with open(path, encoding="utf-8") as file:
        lines = [re.sub(r"(^|\s)#.*", "", line).strip() for line in file]
    problems = [(line, problem(line)) for line in lines if line]
    for line, why in problems:
        if why:
            print("mlcli: %s: %s" % (line, why), file=sys.stderr)
    return 1 if any(why for _, why in problems) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
