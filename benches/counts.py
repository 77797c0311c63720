#!/usr/bin/env python3
"""Counts the instructions of whole runs over generated documents, with valgrind.

    benches/counts.py BINARY DOCUMENTS

BINARY is gen-tools built for release, DOCUMENTS the example that writes documents. Fails if a
document costs more than its bound, which leaves two fifths, or if a document that doubles costs a
fifth more for each byte of input and output together. Counts hardly change from run to run, so a
noisy machine doesn't matter.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# Shape, operations, millions of instructions at most.
BOUNDS = [("diamonds", 1000, 250), ("everything", 500, 315)]
# Shape and operations of a document that doubles.
GROWTH = [("chains", 500), ("diamonds", 500), ("cycle", 400), ("everything", 200)]
MAX_GROWTH = 1.2


def measure(binary, documents, shape, operations, folder):
    """The instructions of a run, and the bytes that it reads and writes."""
    spec = folder / f"{shape}-{operations}.json"
    with spec.open("wb") as out:
        subprocess.run([documents, shape, str(operations)], stdout=out, check=True)
    tools = folder / "tools.json"
    command = [
        "valgrind",
        "--tool=callgrind",
        f"--callgrind-out-file={folder / 'callgrind.out'}",
        binary,
        "--compact",
        str(spec),
    ]
    with tools.open("wb") as out:
        run = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True, check=True)
    count = int(re.search(r"^==\d+== Collected : (\d+)$", run.stderr, re.MULTILINE).group(1))
    return count, spec.stat().st_size + tools.stat().st_size


def main():
    binary, documents = sys.argv[1:3]
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        empty, _ = measure(binary, documents, "chains", 0, folder)
        for shape, operations, bound in BOUNDS:
            count, _ = measure(binary, documents, shape, operations, folder)
            millions = (count - empty) / 1e6
            print(f"{shape} {operations}: {millions:.1f} million instructions, at most {bound}")
            if millions > bound:
                faults.append(f"{shape} {operations} costs more than {bound} million instructions")
        for shape, operations in GROWTH:
            rates = []
            for size in (operations, 2 * operations):
                count, size_in_bytes = measure(binary, documents, shape, size, folder)
                rates.append((count - empty) / size_in_bytes)
            growth = rates[1] / rates[0]
            print(f"{shape} {operations} doubled: {rates[0]:.2f} to {rates[1]:.2f} instructions a byte")
            if growth > MAX_GROWTH:
                faults.append(f"{shape}: a document of twice the size costs {growth:.2f} times as much a byte")
    for fault in faults:
        print(fault, file=sys.stderr)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
