"""The results repository: a git repository that gets each export as one commit, under `<rig>/<number>/`.

The git command line does the work, so a person's own configuration and hooks hold. Only the export's own folder is ever
added or committed. What a killed commit left behind is begun anew; anything else that is not committed stops us.
"""

import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.export_files import MANIFEST
from thermite_pipelines.knowledge.exports import exports_of
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.tables.lake import disk_error

_OURS = re.compile(r"[a-z][a-z0-9-]{0,62}/[0-9]{6,}(?:/.*)?", re.DOTALL)
_IDENTITY = {"user.name": "Thermite Pipelines", "user.email": "thermite@localhost"}
# Bytes in the repository are the export's bytes, and names come out as they are.
_CONFIG = ("-c", "core.autocrlf=false", "-c", "core.safecrlf=false", "-c", "core.quotePath=false")
_SECONDS = 600


@dataclass(frozen=True)
class CommitResult:
    """An export in the repository: its number, the commit that brought it, and whether that was made just now."""

    number: str
    commit: str
    changed: bool


def commit_exports(home: Home, rig: str) -> list[CommitResult]:
    """Commit each export of a rig that the results repository does not have yet, in order; return the new commits.

    Exports whose folders are gone are left out. Raises `ThermiteError` where the setting is missing or the repository
    is not fit; exports that were committed before that stay committed.
    """
    if home.settings.results_repo is None:
        raise ThermiteError("no results repository is set", do="set THERMITE_RESULTS_REPO to a git repository")
    repository = ResultsRepository(home.settings.results_repo)
    with repository.locked():
        there = repository.numbers(rig)
        due = [(number, folder) for number, folder in exports_of(home, rig) if number not in there and folder.is_dir()]
        return [repository.commit(rig, number, folder) for number, folder in due]


def commit_export(path: Path, rig: str, number: str, folder: Path) -> CommitResult:
    """Commit one export; one that is there already changes nothing.

    Raises `ThermiteError`, in one line, where the repository is missing, none, bare or dirty, or git refuses.
    """
    repository = ResultsRepository(path)
    with repository.locked():
        return repository.commit(rig, number, folder)


class ResultsRepository:
    """A git repository with a work tree, of which we are the only writer under `<rig>/<number>/`."""

    def __init__(self, path: Path) -> None:
        """Raises `ThermiteError` unless `path` is the top folder of a git repository with a work tree."""
        self._path = path
        if not path.is_dir():
            raise self._unfit("there is no such folder", "make it with `git init`, or correct THERMITE_RESULTS_REPO")
        bare = self._git("rev-parse", "--is-bare-repository", do="make it one with `git init`")
        if bare == "true":
            raise self._unfit("the repository is bare", "name a clone of it that has a work tree")
        top = self._git("rev-parse", "--show-toplevel", do="name the repository's top folder")
        if Path(top).resolve() != path.resolve():
            raise self._unfit("this is a folder inside another git repository", "make it one with `git init`")
        self._lock = Path(self._git("rev-parse", "--absolute-git-dir")) / "thermite.lock"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Wait for the others that commit here, then keep them out; a killed process keeps out nobody."""
        try:
            descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise disk_error(self._lock, error) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def numbers(self, rig: str) -> set[str]:
        """The exports of a rig that are committed."""
        if not self._has_commits():
            return set()
        listed = self._git("ls-tree", "-z", "--name-only", "HEAD", f"{rig}/")
        return {name.rpartition("/")[2] for name in listed.split("\0") if name}

    def commit(self, rig: str, number: str, folder: Path) -> CommitResult:
        """Commit an export unless it is there. Call it under `locked`."""
        place = f"{rig}/{number}"
        if number in self.numbers(rig):
            self._check_same(place, folder)
            return CommitResult(number, self._commit_of(place), False)
        self.check_clean()
        self._undo(place)
        try:
            self._copy(folder, place)
            self._git("add", "--force", "--", place)
            self._git(
                *self._identity(), "commit", "--quiet", "--message", f"{rig}: export {number}", "--only", "--", place
            )
        except BaseException:
            self._undo(place)
            raise
        return CommitResult(number, self._git("rev-parse", "HEAD"), True)

    def check_clean(self) -> None:
        """Raise `ThermiteError` for anything not committed, but for what a killed commit of an export left."""
        entries = [
            entry for entry in self._git("status", "--porcelain", "--no-renames", "-z", "-uall").split("\0") if entry
        ]
        dirty = [
            entry for entry in entries if not (entry[:2] in ("??", "A ", "AD", "AM") and _OURS.fullmatch(entry[3:]))
        ]
        if dirty:
            raise self._unfit(
                f"the repository has changes that are not committed ({len(dirty)})",
                "commit or stash them, then materialize exports/results_repository again",
            )

    def _check_same(self, place: str, folder: Path) -> None:
        """Raise `ThermiteError` where the repository has something else under the export's number."""
        committed = self._run("cat-file", "blob", f"HEAD:{place}/{MANIFEST}")
        if committed.returncode or committed.stdout != (folder / MANIFEST).read_bytes():
            raise self._unfit(f"{place} in the repository is another export", "name a repository of this home's own")

    def _commit_of(self, place: str) -> str:
        return self._git("log", "-1", "--format=%H", "--diff-filter=A", "--", f"{place}/{MANIFEST}")

    def _copy(self, folder: Path, place: str) -> None:
        target = self._path / place
        if target.parent.is_symlink():
            raise self._unfit(f"{target.parent.name} in the repository is a link", "put a folder in its place")
        try:
            shutil.copytree(folder, target)
        except (OSError, shutil.Error) as error:
            what = error if isinstance(error, OSError) else OSError(None, "some files can't be copied")
            raise disk_error(target, what) from None

    def _undo(self, place: str) -> None:
        """Take away what was copied or added for an export that is not committed."""
        if self._run("ls-files", "-z", "--", place).stdout:
            self._git("rm", "--cached", "-r", "-q", "--force", "--", place)
        target = self._path / place
        if not target.parent.is_symlink():
            shutil.rmtree(target, ignore_errors=True)

    def _identity(self) -> list[str]:
        """Options that name a committer where the configuration does not; the environment comes before both."""
        options = []
        for name, value in _IDENTITY.items():
            if self._run("config", "--get", name).returncode:
                options += ["-c", f"{name}={value}"]
        return options

    def _has_commits(self) -> bool:
        return self._run("rev-parse", "--quiet", "--verify", "HEAD").returncode == 0

    def _git(self, *arguments: str, do: str = "look at the repository with `git status`") -> str:
        """What git prints, without its last line end. Raises `ThermiteError` with git's own words where it refuses."""
        done = self._run(*arguments)
        if done.returncode:
            words = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
            raise self._unfit(f"git says: {words[0][:300] if words else f'exit code {done.returncode}'}", do)
        return done.stdout.decode(errors="surrogateescape").removesuffix("\n")

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        # Variables of a git that started us (a hook, say) name another repository.
        own = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k.startswith(own)}
        environment |= {
            "LC_ALL": "C",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_LITERAL_PATHSPECS": "1",
        }
        try:
            return subprocess.run(
                ["git", *_CONFIG, *arguments],
                cwd=self._path,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except FileNotFoundError:
            raise ThermiteError("git is not installed", do="install git, or unset THERMITE_RESULTS_REPO") from None
        except subprocess.TimeoutExpired:
            raise self._unfit(
                f"git took more than {_SECONDS} seconds", "look whether a hook waits for someone"
            ) from None

    def _unfit(self, what: str, do: str) -> ThermiteError:
        return ThermiteError(what, where=str(self._path), do=do)
