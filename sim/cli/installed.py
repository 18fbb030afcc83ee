"""What the project needs and what of it is installed here, for each thing that can be done with it.

The rule: what is needed is read from the installation itself, so that it is told nowhere twice. Nothing is imported.
"""

import shutil
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Final

from packaging.requirements import Requirement

from .answers.doctor import NeededPackage, Part

NAME: Final = "interlock"
PURPOSES: Final = {
    "": "the executor; run, judge, explore, replay",
    "testing": "fuzz, conform, the pytest plugin",
    "analysis": "frames, figures, Parquet",
    "browser": "tests in a browser",
    "notebooks": "the notebooks",
}
"""What each extra of the installation is for; without one, the installation alone."""
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")


def parts() -> Iterator[Part]:
    """Look at every part of the installation.

    Raises:
        PackageNotFoundError: the project is not installed at all.
    """
    needed = [Requirement(line) for line in requires(NAME) or ()]
    for extra, purpose in PURPOSES.items():
        packages = [_looked_at(one) for one in needed if _belongs(one, extra)]
        if extra == "browser":
            packages.append(_browser())
        if packages:
            ready = all(one["fits"] for one in packages)
            yield Part(purpose=purpose, extra=extra or None, ready=ready, packages=packages, install=_install(extra))


def way_to(module: str) -> str | None:
    """Say what installs a module that is not there; ``None`` where it is none that the project needs."""
    distribution = module.replace("_", "-")
    for extra in PURPOSES:
        if any(one.name == distribution and _belongs(one, extra) for one in map(Requirement, requires(NAME) or ())):
            return _install(extra)
    return None


def _belongs(needed: Requirement, extra: str) -> bool:
    if needed.marker is None:
        return not extra
    return needed.marker.evaluate({"extra": extra}) and not (extra and needed.marker.evaluate({"extra": ""}))


def _looked_at(needed: Requirement) -> NeededPackage:
    try:
        found = version(needed.name)
    except PackageNotFoundError:
        return NeededPackage(name=needed.name, needed=str(needed.specifier), installed=None, fits=False)
    fits = needed.specifier.contains(found, prereleases=True)
    return NeededPackage(name=needed.name, needed=str(needed.specifier), installed=found, fits=fits)


def _browser() -> NeededPackage:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    return NeededPackage(name="chromium", needed="a program", installed=found, fits=found is not None)


def _install(extra: str) -> str:
    return f"pip install '{NAME}[{extra}]'" if extra else f"pip install {NAME}"
