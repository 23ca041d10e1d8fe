from pathlib import Path

from laconic.corpora.text import read_articles


def test_blank_lines_part_articles(tmp_path: Path) -> None:
    path = tmp_path / "news.txt"
    path.write_text("\nFirst.\nSecond.\n\n \nThird.\n")
    assert list(read_articles(path)) == [("First.", "Second."), ("Third.",)]


def test_an_empty_file_has_no_articles(tmp_path: Path) -> None:
    path = tmp_path / "news.txt"
    path.write_text("\n\n")
    assert list(read_articles(path)) == []
