"""What the compiler knows of nixpkgs: how its kinds of package sets are changed by an overlay."""

from __future__ import annotations

Path = tuple[str, ...]

FORMS = ("extensions", "override", "scope", "extend")


def is_python_set(path: Path) -> bool:
    """`python3Packages`, `pypy310Packages`, `python3.pkgs`: nixpkgs extends them all, of all
    Python versions, through `pythonPackagesExtensions`."""
    name = path[-1]
    if name == "pkgs" and len(path) > 1:
        name = f"{path[-2]}Packages"
    for prefix in ("python", "pypy"):
        if name.startswith(prefix) and name.endswith("Packages"):
            version = name[len(prefix) : -len("Packages")]
            return version.isdigit() or (prefix == "python" and not version)
    return False


def usual_form(path: Path) -> str:
    """How the set at *path* is changed when nothing else is asked for.

    Haskell's and the kernel's sets are made extensible (`.extend`), nearly all others are
    scopes (`.overrideScope`).
    """
    if is_python_set(path):
        return "extensions"
    name = path[0]
    if path[:2] == ("haskell", "packages") or name.startswith(("haskellPackages", "linuxPackages")):
        return "extend"
    return "scope"
