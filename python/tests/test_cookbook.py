# SPDX-License-Identifier: BSD-3-Clause
"""The Python blocks of the documentation run, page by page, in their order."""

import os
import pathlib
import re

import pytest

import daedalus as dd

DOCS = pathlib.Path(os.environ["DAEDALUS_SOURCE_DIR"]) / "docs"


@pytest.mark.parametrize("page", ["python.md", "python-cookbook.md"])
def test_blocks_run(page):
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.S | re.M)
    assert blocks
    names = {}
    for block in blocks:
        if "dd.fit(" in block and not dd._daedalus.can_fit():  # built without Ceres
            continue
        exec(compile(block, page, "exec"), names)


def test_the_cookbook_is_linked():
    assert "python-cookbook.md" in (DOCS / "python.md").read_text()


def test_every_kind_of_file_is_named():
    page = (DOCS / "python.md").read_text()
    for endings in dd.file_kinds().values():
        assert any(f"`{ending}`" in page for ending in endings), endings
