"""The runtime as it is on an older CPU: a copy of it in which it never finds some instructions.

onnxruntime asks the CPU once which instructions it has, and chooses its kernels by that; no option says otherwise. The
asking is found in its machine code by what it looks like, and the bits that it looks for are set to none, in a
copy: its kernels for CPUs without VNNI then run on one that has it, at their true speed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import llvmlite.binding

from laconic.errors import LaconicError

# What each test looks like behind the question, as regular expressions over bytes: the bits are the last four.
_VNNI = (
    rb"(?:\x41?\x81[\xe0-\xe7]|\x25)\x00\x08\x00\x00",
    rb"(?:\x41?\x81[\xe0-\xe7]|\x25)\x00\x00\x00\x03",
)  # and AMX
_AVX512 = (rb"(?:\x41?\xf7[\xc0-\xc7]|\xa9)\x00\x00\x01\x00",)
_QUESTION = re.compile(rb"\x0f\xa2\xa8\x10")  # CPUID, and whether there is VNNI for AVX2: bit 4
_REACH = 0x420  # bytes behind the question in which its answers are looked at

_KIND_FILE = "kernels.txt"
"""In a copy of the runtime, which kind it is."""

KINDS = {"no VNNI": _VNNI, "AVX2 alone": (*_VNNI, *_AVX512)}
"""What a copy does without: VNNI and AMX, or AVX-512 as well."""


def older_runtime(folder: Path, kind: str) -> Path:
    """A copy of the installed onnxruntime, under a folder, that does without what a kind of older CPU lacks."""
    spec = find_spec("onnxruntime")
    assert spec is not None and spec.origin is not None
    copy = folder / kind.replace(" ", "-")
    # What other programs and accelerators link to is not needed.
    others = shutil.ignore_patterns("libonnxruntime*", "transformers", "tools", "quantization")
    shutil.copytree(Path(spec.origin).parent, copy / "onnxruntime", ignore=others)
    (library,) = (copy / "onnxruntime" / "capi").glob("onnxruntime_pybind11_state*.so")
    code = bytearray(library.read_bytes())
    changed = 0
    for question in _QUESTION.finditer(bytes(code)):
        code[question.end() - 1] = 0
        behind = bytes(code[question.end() : question.end() + _REACH])
        for test in KINDS[kind]:
            for found in re.finditer(test, behind):
                end = question.end() + found.end()
                code[end - 4 : end] = bytes(4)
                changed += 1
    if not changed:
        raise LaconicError(f"{library}: where it asks for the CPU's instructions was not found")
    library.write_bytes(code)
    library.with_name(_KIND_FILE).write_text(kind, encoding="utf-8")
    return copy


def kernels_in_use() -> dict[str, str]:
    """What the runtime, our kernels and NumPy use of this CPU, if they are kept from some of it."""
    import numpy as np
    import onnxruntime

    kind = Path(onnxruntime.__file__).parent / "capi" / _KIND_FILE
    compiled_for = os.environ.get("NUMBA_CPU_NAME") or llvmlite.binding.get_host_cpu_name()
    asked = os.environ.get("NUMBA_CPU_FEATURES")
    features = "" if asked is None else f" with {asked or 'no more features'}"
    extensions = np.show_config(mode="dicts")["SIMD Extensions"]
    return {
        "runtime's kernels": kind.read_text(encoding="utf-8") if kind.exists() else "all this CPU has",
        "our kernels": f"{compiled_for}{features}",
        "NumPy's": " ".join([*extensions["baseline"], *extensions["found"]]),
    }


def run_with(copy: Path | None, *arguments: str) -> str:
    """What a Python command prints with that copy of the runtime, or with the installed one."""
    path = os.pathsep.join([*([str(copy)] if copy else []), *(entry for entry in sys.path if entry)])
    environment = os.environ | {"PYTHONPATH": path, "ORT_DISABLE_TELEMETRY": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout
