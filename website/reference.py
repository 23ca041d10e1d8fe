"""The reference: every public name with its signature and docstring, read from the source, nothing imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

ROOMS = {
    "": "The package",
    "documents": "Texts with their structure",
    "systems": "Systems",
    "budgets": "Meeting a budget",
    "annotate": "The embedded parser",
    "metrics": "Measuring",
    "rating": "Rating by people",
    "corpora": "Corpora and pairs",
    "formats": "File formats",
    "trees": "Trees",
    "units": "Units of length",
    "text": "Words and spaces",
    "ngram": "Language models",
    "grammar": "Grammars",
    "decode": "Decoders",
    "forest": "The engine",
    "learn": "Learners",
    "storage": "Model folders",
    "batch": "Many rows",
    "integrations": "Other libraries",
    "serve": "The service",
}
"""The rooms of the package, by the title of their page; the modules beside the rooms are the package's own."""


def reference_pages(package: Path) -> Iterator[tuple[str, str]]:
    """The pages of the reference, one a room, and the page that leads to them."""
    rows = []
    for room, title in ROOMS.items():
        modules = sorted((package / room).rglob("*.py")) if room else sorted(package.glob("*.py"))
        parts = [part for path in modules for part in _module(path, package)]
        if not room:
            parts = [*_exported(package), *parts]
        name = f"laconic.{room}" if room else "laconic"
        place = f"{room or 'laconic'}.md"
        yield f"reference/{place}", "\n".join([f"# {title}: `{name}`", "", *parts]) + "\n"
        rows.append(f"| [`{name}`]({place}) | {title} |")
    head = [
        "# Reference",
        "",
        "Made from the docstrings. `import laconic` gives the names of the first page.",
        "",
    ]
    yield "reference/index.md", "\n".join([*head, "| room | what is in it |", "| --- | --- |", *rows]) + "\n"


def _exported(package: Path) -> Iterator[str]:
    """What `import laconic` gives: each name with its sentence, and where it is documented."""
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    [places] = (ast.literal_eval(value) for name, value in _assigned(tree) if name == "_PLACES")
    [version] = (ast.literal_eval(value) for name, value in _assigned(tree) if name == "__version__")
    yield from ("What `import laconic` gives:", "", "| name | what it is | where |", "| --- | --- | --- |")
    for name, module in places.items():
        room = module.split(".")[1]
        page = f"{room if room in ROOMS else 'laconic'}.md"
        sentence = _sentence_of(name, package.joinpath(*module.split(".")[1:]).with_suffix(".py"))
        yield f"| `{name}` | {sentence} | [{module}]({page}#{module.replace('.', '')}) |"
    yield from (f"| `__version__` | The version, {version}. | |", "")


def _assigned(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The names that a module binds at its top, with what they are bound to."""
    for node in tree.body:
        if isinstance(node, ast.Assign):
            yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))


def _sentence_of(name: str, path: Path) -> str:
    """The first line of the docstring of a public function or class of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    [words] = (ast.get_docstring(node) for node in tree.body if _is_public(node) and node.name == name)  # type: ignore[attr-defined,arg-type]
    return (words or "").partition("\n")[0].replace("<", "&lt;").replace("*", "\\*").replace("|", "\\|")


def _module(path: Path, package: Path) -> Iterator[str]:
    """The part of a page about a module: its docstring and its public names, if it has any."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [line for node in tree.body if _is_public(node) for line in _described(node, "###")]
    words = ast.get_docstring(tree)
    if not found and words is None:
        return
    dotted = ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
    yield from (f"## {dotted}", "", *_prose(words), *found)


def _is_public(node: ast.stmt) -> bool:
    named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return isinstance(node, named) and not node.name.startswith("_")


def _described(node: ast.stmt, level: str) -> Iterator[str]:
    if isinstance(node, ast.ClassDef):
        bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
        yield from (
            f"{level} {node.name}",
            "",
            "```text",
            f"class {node.name}{bases}",
            *_fields(node),
            "```",
            "",
        )
        yield from _prose(ast.get_docstring(node))
        for member in node.body:
            if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and _is_public(member):
                yield from _described(member, f"{level}#")
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from (f"{level} {node.name}", "", "```text", _signature(node), "```", "")
        yield from _prose(ast.get_docstring(node))


def _fields(node: ast.ClassDef) -> Iterator[str]:
    """The fields of a class as they are declared."""
    for member in node.body:
        if isinstance(member, ast.AnnAssign) and not ast.unparse(member.target).startswith("_"):
            yield f"    {ast.unparse(member)}"


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    kind = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    line = f"{kind} {node.name}({ast.unparse(node.args)}){returns}"
    if len(line) <= 100:
        return line
    given = ast.unparse(node.args)
    return f"{kind} {node.name}(\n    {given}\n){returns}"


def _prose(docstring: str | None) -> Iterator[str]:
    """A docstring as Markdown: examples become blocks."""
    if docstring is None:
        return
    inside = False
    for line in dedent(docstring.replace("\b", "")).splitlines():
        example = line.startswith((">>> ", "... ")) or (inside and bool(line.strip()))
        if example != inside:
            yield "```pycon" if example else "```"
            if not example:
                yield ""
        inside = example
        yield line if example else line.replace("<", "&lt;").replace("*", "\\*")
    if inside:
        yield "```"
    yield ""
