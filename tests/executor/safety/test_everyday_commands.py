"""Everyday commands: no writer is ever judged safe, and few readers are judged exclusive (R1, R2)."""

import gzip
import hashlib
import json
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from executor.safety.shell import classify_command

MISJUDGED_READERS = {
    "find \"$DIR\" -name '*.py'",  # the directory's name may be -delete
    'rg "$PATTERN" src',  # the pattern may be --pre=…
    "docker ps",
    "npm ls --depth=0",
    "pip list",
    'for f in a.txt b.txt; do echo "$f"; head -1 "$f"; done',  # the loop sets a variable
    'for d in sub src; do ls "$d" | wc -l; done',
    'cat a.txt | while read -r line; do echo "$line"; done',  # `read` sets a variable
    "GIT_PAGER=cat git diff",
}
"""Over-caution costs time and never correctness; this list says exactly how much of it there is."""


def test_the_list_is_long_and_half_of_it_writes(everyday) -> None:
    readers, writers = everyday["readers"], everyday["writers"]
    assert len(set(readers)) == len(readers) > 200
    assert len(set(writers)) == len(writers) > 200
    assert not set(readers) & set(writers)


def test_no_writer_is_judged_safe(everyday) -> None:
    """R2"""
    assert [command for command in everyday["writers"] if classify_command(command).concurrency_safe] == []


def test_at_least_95_of_100_readers_are_judged_safe(everyday) -> None:
    """R1"""
    readers = everyday["readers"]
    refused = {command for command in readers if not classify_command(command).concurrency_safe}
    assert refused == MISJUDGED_READERS
    assert len(refused) <= 0.05 * len(readers)


def test_each_refusal_names_the_part_and_one_reason_in_one_line(everyday) -> None:
    """R2"""
    for command in everyday["writers"]:
        why = classify_command(command).why
        assert why
        assert "\n" not in why
        assert len(why) <= 200


def fingerprint(folder: Path) -> dict[str, str]:
    """Every path below a folder, with a hash of what it holds."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def sandbox(tmp_path) -> Path:
    """A folder with what the everyday commands look at, under git where that is installed."""
    for folder in ("sub", "src", "docs"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "app.py").write_text("import os\n\n\ndef main():\n    pass  # TODO one\n")
    for name in ("a.txt", "b.txt", "numbers.txt", "app.log", "data.csv", "config.ini", "my file.txt", "-odd-name"):
        (tmp_path / name).write_text("one two 3\n# ERROR, 4\n\n17,foo,bar\n")
    (tmp_path / "data.json").write_text(json.dumps({"a": 1, "items": [{"id": 2, "name": "x"}]}))
    with gzip.open(tmp_path / "a.gz", "wb") as packed:
        packed.write(b"packed\n")
    for name, mode in (("a.tar", "w"), ("a.tgz", "w:gz")):
        with tarfile.open(tmp_path / name, mode) as archive:
            archive.add(tmp_path / "a.txt", "a.txt")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(tmp_path / "a.txt", "a.txt")
    if shutil.which("git"):
        git = ["git", "-c", "user.name=me", "-c", "user.email=me@localhost", "-c", "init.defaultBranch=main"]
        for line in (["init", "-q"], ["add", "."], ["commit", "-qm", "1"], ["commit", "-qm", "2", "--allow-empty"]):
            subprocess.run([*git, *line], cwd=tmp_path, env=environment(tmp_path), check=True, capture_output=True)
    return tmp_path


def environment(home: Path) -> dict[str, str]:
    """No more than a shell needs; git takes its optional lock only where it may."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "USER": "me",
        "FILE": "a.txt",
        "WORD": "one",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
    }


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_what_is_judged_safe_changes_no_file_when_bash_runs_it(everyday, sandbox) -> None:
    """R1, by experiment: the whole folder, .git included, is the same after each command."""
    before = fingerprint(sandbox)
    safe = [
        command for command in everyday["readers"] + everyday["writers"] if classify_command(command).concurrency_safe
    ]
    assert len(safe) > 200
    for command in safe:
        subprocess.run(
            ["bash", "-c", command],
            cwd=sandbox, env=environment(sandbox), stdin=subprocess.DEVNULL, capture_output=True, timeout=20,
        )  # fmt: skip
        assert fingerprint(sandbox) == before, command
