"""HTML tables in Markdown: tables for the chunkers and the answer, and the lines behind them keep their numbers."""

from email.message import EmailMessage

from evaluation.extractive import extract_answer
from ingestion.chunking import CHUNKERS
from ingestion.readers import read_document
from ingestion.readers.embedded_tables import with_markdown_tables
from schema import Document, Hit

PLANS = """# Plans

What each plan holds:
<table>
  <thead><tr><th>Plan</th><th>Seats</th></tr></thead>
  <tr><td>Small</td><td><b>5</b></td></tr>
  <tr>
    <td>Large | shared</td>
    <td>50</td>
  </tr>
</table>
Prices are net.

```html
<table><tr><td>code</td></tr><tr><td>stays</td></tr></table>
```
"""


def read(text):
    return read_document("plans.md", text.encode(), max_bytes=2**20).text


def test_a_table_becomes_markdown_and_what_follows_keeps_its_line():
    text = read(PLANS)
    assert "| Plan | Seats |\n|---|---|\n| Small | 5 |\n| Large \\| shared | 50 |\n" in text
    assert text.split("\n").index("Prices are net.") == PLANS.split("\n").index("Prices are net.")


def test_code_keeps_its_table():
    assert "<table><tr><td>code</td></tr><tr><td>stays</td></tr></table>" in read(PLANS)


def test_a_front_matter_keeps_its_place():
    text = read(f"---\ntitle: Plans\n---\n{PLANS}")
    assert text.startswith("---\ntitle: Plans\n---\n# Plans")
    assert "| Small | 5 |" in text


def test_what_is_no_table_of_data_stays():
    for text in ("<table>\nnothing ends it\n" * 40, '<table><tr><td><img src="a.png"></td></tr></table>', "a <table>"):
        assert with_markdown_tables(text) == text


def test_a_row_is_not_cut():
    rows = "\n".join(f"<tr><td>部件 {n}</td><td>{n * 7} 个</td></tr>" for n in range(80))
    document = read_document("件.md", f"# 部件\n\n<table>\n{rows}\n</table>\n".encode(), max_bytes=2**20)
    chunks = CHUNKERS["markdown"](document, 300, 0, None)
    lines = [line for chunk in chunks for line in chunk.text.split("\n") if line.startswith("|")]
    assert len(chunks) > 2
    assert all(line.endswith("|") for line in lines)
    assert sum("部件" in line for line in lines) >= 80


def test_the_answer_shows_a_table():
    text = read(PLANS)
    hit = Hit(1, "plans.md", "", text, 0, len(text), 1, text.count("\n") + 1, headings=("Plans",), score=1.0)
    answer = extract_answer("How many seats does the small plan have?", [hit], "en")
    assert "| Plan | Seats |" in answer
    assert "**5** [1] |" in answer
    assert "<td>" not in answer


def test_a_mail_is_read_as_laid_out_where_only_that_shows_its_table() -> None:
    def mail(html: str) -> Document:
        message = EmailMessage()
        message["Subject"] = "Orders"
        message.set_content("Dear all, see below.\nPen 1,200\nInk 90")
        message.add_alternative(f"<p>Dear all, see below.</p>{html}", subtype="html")
        return read_document("orders.eml", message.as_bytes(), max_bytes=1_000_000)

    head = "<tr><th>Item</th><th>Price</th></tr>"
    [table] = mail(f"<table>{head}<tr><td>Pen<td>1,200</tr><tr><td>Ink<td>90</tr></table>").tables or ()
    assert table.cells == (["Pen", "Ink"], [1200, 90])
    assert mail("<table><tr><td>Dear all</td><td>see</td></tr></table>").text.endswith("Pen 1,200\nInk 90")
