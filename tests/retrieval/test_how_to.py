import pytest
from retrieval_cases import SETTINGS, fill
from test_search import search

from retrieval.how_to import lists_changes
from schema import Hit
from stores.embedded import EmbeddedStore
from tests.each_row import each_row

GUIDE = {
    "guide.md": [
        "# Quill\n\nQuill keeps notes. Whoever wants to restore a backup needs a backup: restore, backup, restore.",
        "## Restore a backup\n\nRun the import as the user quill on an empty server, then compare how many notes "
        "there are with the number that it reports.",
        "## Labels\n\nLabels group notes.",
    ],
    "changes.md": [
        "## 2.4.1 (2025-03-02)\n\n* Remove a label: remove it from all notes with one click.\n* Fix exports.",
        "## 2.4.0\n\n* Smaller archives.",
    ],
    "labels.md": ["Open the settings, choose the label and press the bin to remove it. All of the notes will stay."],
    "手册.md": [
        "# 考勤系统\n\n请假申请可以撤回；撤回请假申请之前，请假申请尚未批准。",
        "## 撤回请假申请\n\n打开列表，选中还没有批准的那一条，然后点击按钮，系统会通知主管。",
    ],
}


@pytest.fixture(scope="module")
def ask():
    store = EmbeddedStore()
    library = fill(store, GUIDE)

    def ask(question, **options):
        found = search(question, store=store, embedder=library.embedder, settings=SETTINGS, **options)
        return found.hits[0].text

    yield ask
    store.close()


@pytest.mark.parametrize("strategy", ["keyword", "default"])
def test_a_section_that_is_called_what_is_asked_for_comes_first(ask, strategy):
    assert ask("restore backup", strategy=strategy).startswith("# Quill")
    assert ask("How do I restore a backup?", strategy=strategy).startswith("## Restore a backup")
    assert ask("怎样撤回请假申请？", strategy=strategy).startswith("## 撤回请假申请")


def test_changes_come_first_only_where_they_are_asked_for(ask):
    assert ask("remove a label from notes", strategy="keyword").startswith("Open the settings")
    assert ask("Which release can remove a label from notes?", strategy="keyword").startswith("## 2.4.1")


@each_row(
    ("heading", "is_version"),
    [
        ("2.4.1 (2025-03-02)", True),
        ("v0.137.0", True),
        ("[1.0.0-rc.1] - 2024-11-20", True),
        ("版本 3.2.0（2025年4月1日）", True),
        ("1.2 Installation", False),
        ("2024-11-20", False),
        ("Chapter 3", False),
    ],
)
def test_a_list_of_changes_stands_under_a_version(heading, is_version):
    assert lists_changes(Hit(1, "a.md", "", "* Something.", 0, 12, 1, 1, headings=("Notes", heading))) is is_version
    assert lists_changes(Hit(1, "a.md", "", f"Notes.\n\n## {heading}\n\n* Something.", 0, 40, 1, 5)) is is_version
