"""The results repository: one commit an export, and a clear line where that can't be."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.knowledge.exporting import ExportHome, finish, say_document, say_source, tree
from tests.support.homes import Home
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.exports import Exported
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.knowledge.results_repository import CommitResult, commit_export, commit_exports


@pytest.fixture(autouse=True)
def own_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Git without this machine's configuration."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "gitconfig").write_text("[init]\n\tdefaultBranch = main\n")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    path = tmp_path / "results repo"
    path.mkdir()
    git(path, "init", "-q")
    return path


@pytest.fixture
def place(home: Home, repo: Path) -> ExportHome:
    return ExportHome(Home(home.settings.model_copy(update={"results_repo": repo})))


def git(path: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=path, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def subjects(repo: Path) -> list[str]:
    return git(repo, "log", "--reverse", "--format=%s").splitlines()


def make_export(place: ExportHome, text: str = "a note", rig: str = "rig-a") -> Exported:
    simulator = place.rig(rig)
    if simulator.n == 0:
        simulator.say_run()
    simulator.say_note(text)
    place.send(rig)
    return place.export(rig)


def commit(place: ExportHome, rig: str = "rig-a") -> list[CommitResult]:
    return commit_exports(open_home(place.home.settings), rig)


def test_each_export_is_one_commit_with_the_same_files(place: ExportHome, repo: Path) -> None:
    exported = make_export(place)
    (result,) = commit(place)
    assert (result.number, result.commit, result.changed) == ("000001", git(repo, "rev-parse", "HEAD"), True)
    assert tree(repo / "rig-a/000001") == tree(place.folder(exported))
    make_export(place, "another")
    assert [result.number for result in commit(place)] == ["000002"]
    assert subjects(repo) == ["rig-a: export 000001", "rig-a: export 000002"]
    assert git(repo, "status", "--porcelain") == ""
    listed = git(repo, "show", "--name-only", "--format=", "HEAD").splitlines()
    assert {name.rpartition("/")[0] for name in listed} == {"rig-a/000002"}


def test_doing_it_again_changes_nothing(place: ExportHome, repo: Path) -> None:
    exported = make_export(place)
    (first,) = commit(place)
    assert commit(place) == []
    again = commit_export(repo, "rig-a", "000001", place.folder(exported))
    assert again == CommitResult("000001", first.commit, False)
    assert len(subjects(repo)) == 1


def test_exports_that_are_not_committed_yet_are_caught_up_in_order(place: ExportHome, repo: Path) -> None:
    for number in range(3):
        make_export(place, f"note {number}")
        make_export(place, f"note {number}", "rig-b")
    commit(place, "rig-b")
    assert [result.number for result in commit(place)] == ["000001", "000002", "000003"]
    assert subjects(repo)[3:] == [f"rig-a: export 00000{number}" for number in (1, 2, 3)]


def test_an_export_whose_folder_is_gone_is_left_out(place: ExportHome, repo: Path) -> None:
    import shutil

    first = make_export(place)
    make_export(place)
    shutil.rmtree(place.folder(first))
    assert [result.number for result in commit(place)] == ["000002"]


def refused(place: ExportHome, why: str) -> None:
    """Committing is refused in one line that says why, and the export stays as it was."""
    folders = tree(place.home.settings.exports)
    with pytest.raises(ThermiteError, match=why) as caught:
        commit(place)
    assert "\n" not in str(caught.value) and " — " in str(caught.value)
    assert tree(place.home.settings.exports) == folders != {}


def test_a_missing_repository_is_refused(place: ExportHome, repo: Path) -> None:
    make_export(place)
    repo.rename(repo.with_name("moved"))
    refused(place, "there is no such folder — make it with `git init`")


def test_a_folder_that_is_no_repository_is_refused(place: ExportHome, repo: Path) -> None:
    make_export(place)
    (repo / ".git").rename(repo / "git")
    refused(place, "not a git repository")


def test_a_folder_inside_another_repository_is_refused(place: ExportHome, repo: Path) -> None:
    make_export(place)
    (repo / "inner").mkdir()
    inner = ExportHome(Home(place.home.settings.model_copy(update={"results_repo": repo / "inner"})))
    refused(inner, "inside another git repository")


def test_a_bare_repository_is_refused(place: ExportHome, tmp_path: Path) -> None:
    make_export(place)
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    bare = ExportHome(Home(place.home.settings.model_copy(update={"results_repo": tmp_path / "bare.git"})))
    refused(bare, "is bare")


@pytest.mark.parametrize("how", ["untracked", "changed", "staged", "removed"])
def test_a_dirty_repository_is_refused_until_it_is_clean(place: ExportHome, repo: Path, how: str) -> None:
    (repo / "README.md").write_text("results")
    git(repo, "add", "README.md")
    git(repo, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "Begin")
    make_export(place)
    if how == "untracked":
        (repo / "notes.txt").write_text("mine")
    elif how == "removed":
        (repo / "README.md").unlink()
    else:
        (repo / "README.md").write_text("changed")
        if how == "staged":
            git(repo, "add", "README.md")
    refused(place, r"changes that are not committed \(1\) — commit or stash them")
    assert not (repo / "rig-a").exists()
    git(repo, "reset", "-q", "--hard")
    git(repo, "clean", "-qfd")
    assert len(commit(place)) == 1


def test_an_export_that_was_changed_in_the_repository_is_refused(place: ExportHome, repo: Path) -> None:
    exported = make_export(place)
    commit(place)
    make_export(place)
    (repo / "rig-a/000001/journal.jsonl").write_text("")
    refused(place, "not committed")
    git(repo, "checkout", "-q", ".")
    manifest = repo / "rig-a/000001/manifest.json"
    manifest.write_text("{}")
    git(repo, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "Tamper")
    with pytest.raises(ThermiteError, match="rig-a/000001 in the repository is another export"):
        commit_export(repo, "rig-a", "000001", place.folder(exported))


@pytest.mark.parametrize("staged", [False, True])
def test_what_a_killed_commit_left_is_begun_anew(place: ExportHome, repo: Path, staged: bool) -> None:
    exported = make_export(place)
    make_export(place, "b", "rig-b")
    for rig in ("rig-a", "rig-b"):
        part = repo / rig / "000001"
        part.mkdir(parents=True)
        (part / "part.jsonl").write_text("half")
        if staged:
            git(repo, "add", rig)
    assert len(commit(place)) == 1
    assert tree(repo / "rig-a/000001") == tree(place.folder(exported))
    listed = git(repo, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    assert {name.split("/")[0] for name in listed} == {"rig-a"} and "rig-a/000001/part.jsonl" not in listed
    assert len(commit(place, "rig-b")) == 1
    assert git(repo, "status", "--porcelain") == ""


def test_a_hook_that_refuses_leaves_the_repository_clean(place: ExportHome, repo: Path) -> None:
    make_export(place)
    hook = repo / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'not on a Sunday' >&2\nexit 1\n")
    hook.chmod(0o755)
    refused(place, "git says: not on a Sunday")
    assert git(repo, "status", "--porcelain") == ""
    hook.unlink()
    assert len(commit(place)) == 1


def test_a_name_that_git_knows_is_used_and_otherwise_ours(
    place: ExportHome, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_export(place)
    commit(place)
    assert git(repo, "log", "-1", "--format=%an <%ae>") == "Thermite Pipelines <thermite@localhost>"
    git(repo, "config", "user.name", "Ada")
    git(repo, "config", "user.email", "ada@example.org")
    make_export(place)
    commit(place)
    assert git(repo, "log", "-1", "--format=%an <%ae>") == "Ada <ada@example.org>"
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Bo")
    make_export(place)
    commit(place)
    assert git(repo, "log", "-1", "--format=%an <%ae>") == "Bo <ada@example.org>"


def test_what_the_repository_ignores_is_committed_all_the_same(place: ExportHome, repo: Path) -> None:
    (repo / ".gitignore").write_text("*.jsonl\nresearch\n")
    (repo / ".gitattributes").write_text("*.txt -text\n")
    git(repo, "add", "--all")
    git(repo, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "Begin")
    rig = place.rig()
    rig.say_run()
    say_source(rig, text="a\r\nb")
    say_document(rig, ".git/config", "[core]\n\tfsmonitor = touch owned\n")
    say_document(rig, "-n", "an option?")
    finish(rig)
    exported = make_export(place)
    commit(place)
    committed = git(repo, "ls-tree", "-r", "-z", "--name-only", "HEAD", "rig-a/").strip("\0").split("\0")
    assert {name.removeprefix("rig-a/000001/") for name in committed} == set(tree(place.folder(exported)))
    assert not (repo / "owned").exists()


def test_another_repository_in_the_environment_is_left_alone(
    place: ExportHome, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    make_export(place)
    with monkeypatch.context() as patched:
        patched.setenv("GIT_DIR", str(other / ".git"))
        patched.setenv("GIT_WORK_TREE", str(other))
        commit(place)
    assert subjects(repo) == ["rig-a: export 000001"]


def test_a_link_in_the_place_of_a_rig_is_refused(place: ExportHome, repo: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (repo / "rig-a").symlink_to(tmp_path / "elsewhere")
    git(repo, "add", "--all")
    git(repo, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "Begin")
    make_export(place)
    refused(place, "is a link")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_without_the_setting_or_git_a_line_says_so(
    home: Home, place: ExportHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_export(place)
    with pytest.raises(ThermiteError, match="set THERMITE_RESULTS_REPO"):
        commit_exports(open_home(home.settings), "rig-a")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ThermiteError, match="git is not installed"):
        commit(place)
