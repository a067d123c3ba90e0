"""Checks that the first statement of every kernel is GA_AWAIT().

Kernels are launched so that their blocks may start before the kernel in front of them has ended (kernels/port.cuh);
one that does not wait would read what is not written yet, now and then.
"""

import re
import sys
from pathlib import Path

KERNELS = Path(__file__).resolve().parents[1] / "kernels"
KERNEL = re.compile(r"GA_KERNEL(?:_BESIDE\([^)]*\))?\s+(\w+)\s*\(")
BODY = re.compile(r"[^;{]*\{\s*GA_AWAIT\(\);")
DECLARATION = re.compile(r"[^;{]*;")


def find_hasty(path: Path) -> list[str]:
    """Names of the kernels in a file that begin with something else."""
    text = path.read_text()
    heads = ((match[1], text[match.end() :]) for match in KERNEL.finditer(text))
    return [name for name, rest in heads if not BODY.match(rest) and not DECLARATION.match(rest)]


def main() -> int:
    sources = sorted(KERNELS.glob("*.cu*"))
    hasty = [f"{path.name}: {name}" for path in sources for name in find_hasty(path)]
    print("\n".join(hasty) if hasty else "kernels: every one waits for the kernel before it")
    return 1 if hasty else 0


if __name__ == "__main__":
    sys.exit(main())
