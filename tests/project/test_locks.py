"""The locks: complete, hashed, of one mind, and up to what pyproject.toml asks for."""

import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.project.tree import ROOT, read_lock

LOCKS = ["requirements.lock", "requirements-dev.lock"]


def versions(name: str) -> dict[str, set[Version]]:
    """Package -> the versions that the lock pins (more than one where they differ by Python version)."""
    pinned: dict[str, set[Version]] = {}
    for pin, _ in read_lock(name):
        package, version = pin.split("==")
        pinned.setdefault(canonicalize_name(package.split("[")[0]), set()).add(Version(version))
    return pinned


def asked_for(group: str) -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lines = project["project"]["dependencies"] if group == "" else project["dependency-groups"][group]
    return [Requirement(line) for line in lines if isinstance(line, str)]


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_has_hashes(name: str) -> None:
    lock = read_lock(name)
    assert len(lock) > 50
    assert [pin for pin, hashes in lock.items() if not hashes] == []


@pytest.mark.parametrize(("name", "groups"), [(LOCKS[0], ["", "build"]), (LOCKS[1], ["", "build", "dev"])])
def test_the_lock_fits_what_the_project_asks_for(name: str, groups: list[str]) -> None:
    pinned = versions(name)
    for requirement in [r for group in groups for r in asked_for(group)]:
        found = pinned.get(canonicalize_name(requirement.name), set())
        assert found, f"{requirement.name} is not in {name}: make lock"
        assert all(version in requirement.specifier for version in found), f"{requirement} is {found}: make lock"


def test_both_locks_agree() -> None:
    tools = read_lock(LOCKS[1])
    assert {pin for pin in read_lock(LOCKS[0]) if pin not in tools} == set()


def test_no_dagster_package_is_of_another_release() -> None:
    """Dagster's packages are released together; an install that mixes them fails far from the cause."""
    pinned = versions(LOCKS[1])
    core = pinned["dagster"]
    assert {name for name in ("dagster-webserver", "dagster-dg-cli", "dagster-shared") if pinned[name] != core} == set()
