import warnings
from pathlib import Path

import pytest

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.rig.keys import DEFAULT_NAME, describe, generate, read_key


def test_a_new_key_file_is_64_hex_digits_and_a_line_end_for_its_owner_alone(tmp_path: Path) -> None:
    key = generate(tmp_path / "rig.key")
    text = key.path.read_text()
    assert text == key.seed.hex() + "\n"
    assert len(text) == 65
    assert key.path.stat().st_mode & 0o777 == 0o600
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_key(key.path) == key.seed


def test_two_keys_differ_and_a_repr_hides_the_seed(tmp_path: Path) -> None:
    one, two = generate(tmp_path / "one"), generate(tmp_path / "two")
    assert one.seed != two.seed
    assert one.seed.hex() not in repr(one)


def test_without_a_name_the_key_lies_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert generate().path == tmp_path / DEFAULT_NAME


def test_public_key_and_keyid_are_those_of_the_published_example() -> None:
    key = describe(bytes(range(32)), Path("x"))
    assert key.public_key_hex == "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"
    assert key.keyid == "56475aa75463474c0285df5dbf2bcab73da651358839e9b77481b2eab107708c"


def test_an_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "rig.key"
    path.write_text("precious")
    with pytest.raises(ThermiteError, match="never overwritten"):
        generate(path)
    assert path.read_text() == "precious"


def test_a_dangling_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ThermiteError):
        generate(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


def test_a_key_in_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ThermiteError, match="cannot be made"):
        generate(tmp_path / "none" / "rig.key")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "0 hex digits, not 64"),
        ("ab" * 31, "62 hex digits"),
        ("ab" * 33, "66 hex digits"),
        ("zz" * 32, "not 64 hex digits"),
        ("-----BEGIN PRIVATE KEY-----", "not 64 hex digits"),
    ],
)
def test_a_file_that_is_no_key_is_named_with_the_reason(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "rig.key"
    path.write_text(text)
    with pytest.raises(ThermiteError, match=words):
        read_key(path)


def test_a_missing_key_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ThermiteError, match="no such key file"):
        read_key(tmp_path / "none")
    with pytest.raises(ThermiteError, match="a folder"):
        read_key(tmp_path)


def test_a_key_that_others_may_read_is_taken_with_a_warning(tmp_path: Path) -> None:
    key = generate(tmp_path / "rig.key")
    key.path.chmod(0o644)
    with pytest.warns(UserWarning, match="chmod 600"):
        assert read_key(key.path) == key.seed
