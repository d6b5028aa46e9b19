"""The menu of the site leads to every page of the documentation, once; the recipes have a sample for each format."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_menu_leads_to_pages_each_once() -> None:
    listed = re.findall(r":\s+([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == {path.name for path in (ROOT / "docs").glob("*.md")}
    assert listed[0] == "index.md"


def test_every_sample_is_used_by_a_recipe_and_every_format_has_one() -> None:
    text = (ROOT / "docs" / "recipes.md").read_text()
    for sample in (ROOT / "examples" / "recipes").iterdir():
        assert f"examples/recipes/{sample.name}" in text
    assert len(re.findall(r"^## ", text, re.MULTILINE)) == 12
    for part in text.split("\n## ")[1:]:
        assert "$ xylem run" in part
