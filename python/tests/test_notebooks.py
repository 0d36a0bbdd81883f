# SPDX-License-Identifier: BSD-3-Clause
"""The tutorials run, and what they assert holds."""

import os
import pathlib

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")
pytest.importorskip("scipy")

FOLDER = pathlib.Path(os.environ["DAEDALUS_SOURCE_DIR"]) / "python" / "notebooks"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda p: p.stem)
def test_notebook(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=240, startup_timeout=240, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    cards = [o for c in notebook.cells for o in c.get("outputs", []) if "text/html" in o.get("data", {})]
    assert cards


def test_there_are_four():
    assert len(list(FOLDER.glob("*.ipynb"))) == 4


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda p: p.stem)
def test_the_documentation_has_what_the_notebook_says(path):
    """scripts/render-notebooks writes docs/tutorials; a changed notebook must be rendered again."""
    page = (FOLDER.parent.parent / "docs" / "tutorials" / f"{path.stem}.md").read_text()
    for cell in nbformat.read(path, as_version=4).cells:
        assert cell.source in page, cell.source
