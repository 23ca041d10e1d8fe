"""The built wheel holds everything the program needs and runs outside the source tree."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from laconic import __version__

ROOT = Path(__file__).parent.parent


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path) -> Path:
    """A virtual environment with the wheel; its dependencies are those of the test environment."""
    folder = wheel.parent / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=wheel.parent)
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "--disable-pip-version-check"]
    run(*pip, "install", "--quiet", "--no-index", "--no-deps", wheel, cwd=wheel.parent)  # type: ignore[arg-type]
    packages = run(
        folder / "bin" / "python",
        "-c",
        "import sysconfig; print(sysconfig.get_path('purelib'))",
        cwd=wheel.parent,
    ).strip()
    # Only the path is added, so that the editable install of the source tree stays out of sight.
    (Path(packages) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def test_the_wheel_holds_the_package_and_its_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    files = (path for path in (ROOT / "src").rglob("*") if path.is_file())
    wanted = {path.relative_to(ROOT / "src").as_posix() for path in files if "__pycache__" not in path.parts}
    assert wanted <= names
    assert {name.split("/")[0] for name in names} == {"laconic", f"laconic-{__version__}.dist-info"}


def test_the_installed_program_runs(environment: Path) -> None:
    program = environment / "bin" / "laconic"
    assert run(program, "--version", cwd=environment) == f"laconic {__version__}\n"
    sentence = "It fell again, Mr. Hall said."
    assert (
        run(program, sentence, "--system", "truncate", "--words", "3", cwd=environment) == "It fell again\n"
    )
    where = run(
        environment / "bin" / "python", "-c", "import laconic; print(laconic.__file__)", cwd=environment
    )
    assert Path(where.strip()).is_relative_to(environment)


@pytest.mark.slow
def test_a_plain_installation_is_light_and_enough(wheel: Path) -> None:
    """What comes with the wheel from the package index, without extras, bytecode included, as `du -sm` counts it."""
    folder = wheel.parent / "plain"
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=wheel.parent)
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "--disable-pip-version-check"]
    run(*pip, "install", "--quiet", wheel, cwd=wheel.parent)  # type: ignore[arg-type]
    size = sum(path.lstat().st_blocks * 512 for path in (folder / "lib").rglob("*")) / 2**20
    assert size < 400, f"{size:.0f} MiB"
    packages = {path.name for path in (folder / "lib").glob("python*/site-packages/*")}
    assert not packages & {"scipy", "tokenizers", "huggingface_hub", "httpx", "torch"}
    shortened = run(folder / "bin" / "laconic", "It fell again on Monday, he said.", "-w", "4", cwd=folder)
    assert 1 <= len(shortened.split()) <= 4
