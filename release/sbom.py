"""The bill of materials of a release: what it consists of and needs, as CycloneDX 1.6 in JSON.

`python -m release.sbom FILE` describes the installed laconic: the package, its models with the checksums of their
files, and every library of the present environment that it needs. The same environment gives the same bytes.
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import Distribution, distribution
from importlib.resources import files
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import laconic
from laconic.files import write_whole

MODELS = Path(str(files("laconic"))) / "models"
_NAME = "laconic"
_TERMS = re.compile(r"^## (?P<model>[\w-]+)\n\n\*(?P<terms>[^*]+)\*", re.MULTILINE)
_SPACE = uuid.UUID("c1a3e2a4-6c0e-5f0b-9a52-1b0c6c0f1d3e")  # of our serial numbers, drawn once

Component = dict[str, Any]


def bill_of_materials() -> dict[str, Any]:
    """The whole bill."""
    libraries = dict(needed_libraries())
    own = _package(distribution(_NAME))
    models = [_model(folder) for folder in sorted(MODELS.iterdir()) if folder.is_dir()]
    references = {name: _package(library)["bom-ref"] for name, library in libraries.items()}
    needs = {own["bom-ref"]: [references[name] for name in _required(distribution(_NAME))]}
    needs[own["bom-ref"]] += [model["bom-ref"] for model in models]
    for name, library in libraries.items():
        needs[references[name]] = [references[other] for other in _required(library) if other in references]
    content = {
        "metadata": {"component": own},
        "components": [*models, *map(_package, libraries.values())],
        "dependencies": [{"ref": ref, "dependsOn": sorted(set(on))} for ref, on in sorted(needs.items())],
    }
    serial = uuid.uuid5(_SPACE, json.dumps(content, sort_keys=True))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
    } | content


def needed_libraries() -> Iterator[tuple[str, Distribution]]:
    """The installed libraries that laconic needs, directly or not, by name."""
    found: dict[str, Distribution] = {}
    waiting = _required(distribution(_NAME))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = distribution(name)
            waiting += _required(found[name])
    yield from sorted(found.items())


def _required(library: Distribution) -> list[str]:
    """The names of what a library needs in this environment, extras left out."""
    requirements = map(Requirement, library.requires or ())
    return [
        canonicalize_name(requirement.name)
        for requirement in requirements
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    ]


def _package(library: Distribution) -> Component:
    name = canonicalize_name(library.metadata["Name"])
    address = _address(name, library.version)
    component = {
        "type": "library",
        "name": name,
        "version": library.version,
        "purl": address,
        "bom-ref": address,
    }
    return component | _terms_of_package(library)


def _terms_of_package(library: Distribution) -> Component:
    for expression in library.metadata.get_all("License-Expression") or ():
        return {"licenses": [{"expression": expression}]}
    # Old metadata: a field in which some write a name and some the whole text, and classifiers.
    (written,) = library.metadata.get_all("License") or ("",)
    classified = [
        name.rpartition(" :: ")[2]
        for name in library.metadata.get_all("Classifier") or ()
        if name.startswith("License :: ")
    ]
    names = [written] if written.strip() and "\n" not in written else classified
    return {"licenses": [{"license": {"name": name}} for name in names]} if names else {}


def _model(folder: Path) -> Component:
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    reference = f"model:{folder.name}"
    return {
        "type": "machine-learning-model",
        "name": folder.name,
        "version": card.get("laconic", laconic.__version__),
        "description": card.get("what", card.get("system", "")),
        "bom-ref": reference,
        "licenses": [{"license": {"name": model_terms()[folder.name]}}],
        "components": [
            {
                "type": "file",
                "name": path.relative_to(folder).as_posix(),
                "bom-ref": f"{reference}/{path.relative_to(folder).as_posix()}",
                "hashes": [{"alg": "SHA-256", "content": sha256(path.read_bytes()).hexdigest()}],
            }
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        ],
    }


def model_terms() -> dict[str, str]:
    """The terms of each model in a few words, as the page of their licences gives them."""
    text = (MODELS / "LICENCE.md").read_text(encoding="utf-8")
    return {found["model"]: " ".join(found["terms"].split()) for found in _TERMS.finditer(text)}


def _address(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"


def main() -> None:
    """Write the bill into the file that the command line names."""
    with write_whole(Path(sys.argv[1])) as stream:
        stream.write(json.dumps(bill_of_materials(), indent=1, ensure_ascii=False).encode() + b"\n")


if __name__ == "__main__":
    main()
