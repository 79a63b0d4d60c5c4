"""What the answer without a model takes as a whole: lists, steps, rows of tables, code."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.citations import CheckedSources, check_answer
from evaluation.extractive import extract_answer
from schema import Hit
from tests.evaluation.extractive_cases import HITS, NESTED, hit


def test_a_list_under_the_words_of_the_question_comes_whole():
    answer = extract_answer("新生儿要做哪些检查？", HITS, "zh")
    assert "- 听力筛查[1]\n- 先天性心脏病筛查[1]\n- 足跟血筛查，需在喂奶后进行[1]" in answer


def test_steps_keep_their_numbers_and_lose_their_marks():
    answer = extract_answer("How do I get a key? List the steps.", HITS, "en")
    assert answer.splitlines()[:3] == [
        "1. Create an account [2].",
        "2. Open Settings and choose Keys [2].",
        "3. Copy the key into `.env` [2].",
    ]


def test_a_row_comes_with_its_header():
    answer = extract_answer("What is the price of the Team plan?", HITS, "en", max_sentences=1)
    assert answer.splitlines() == ["| Plan | Price | Seats |", "| --- | --- | --- |", "| Team | $12 | 10 [2] |"]


def test_code_comes_with_its_lead_in_and_is_left_alone():
    answer = extract_answer("How do I install the tool?", HITS, "en", max_sentences=2)
    assert "To install the tool, run [2]:" in answer
    assert "pip install example[1]\n" in answer


TABLE = """Days of leave by years of service:

| Years | Days | Note |
|---|---|---|
| under 3 | 7 days | Carry over 2. Ask early. |
| 3 to 5 | 10 days | Carry over 3. |
| over 5 | 15 days | Carry over 5. |
"""


def test_of_equal_rows_none_is_left_out_and_none_is_cut():
    answer = extract_answer("How many days of leave are there?", [hit(1, TABLE, "Leave")], "en")
    assert "| under 3 | **7** days | Carry over 2. Ask early. [1] |" in answer
    assert "| 3 to 5 | **10** days |" in answer
    assert "| over 5 | **15** days |" in answer
    assert "" not in answer.splitlines()  # which would end the table
    for statement in check_answer(answer, CheckedSources([hit(1, TABLE, "Leave")])):
        assert statement.supported or not statement.checkable, statement


def test_a_chunk_that_begins_within_a_table_has_no_header():
    text = "| 3 to 5 | 10 days | Carry over 3. |\n| over 5 | 15 days | Carry over 5. |\n"
    answer = extract_answer("Who gets 10 days?", [hit(1, text)], "en")
    assert answer.splitlines()[:2] == ["|   |   |   |", "| --- | --- | --- |"]
    assert "| 3 to 5 | 10 days | Carry over 3. [1] |" in answer


def test_all_sentences_of_an_item_stay_with_it():
    text = "Options:\n\n- `methods` - The methods allowed. Defaults to GET.\n- `age` - Seconds to cache.\n"
    answer = extract_answer("What is the default of methods?", [hit(1, text)], "en", max_sentences=1)
    assert answer == "- `methods` - The methods allowed [1]. Defaults to GET [1]."


def test_of_a_nested_list_the_part_that_is_asked_for():
    answer = extract_answer("How are fluids given?", [hit(1, NESTED, "Care")], "en")
    assert "- Give oral salts first [1].\n- Watch the urine [1]." in answer
    assert "stool" not in answer


def test_of_equal_items_under_what_is_asked_none_is_left_out():
    text = "## Fluids\n\n- Mild cases: salts by mouth, fluids often.\n- Severe: fluids by drip.\n- Watch the urine.\n"
    answer = extract_answer("Which fluids?", [hit(1, text, "Fluids")], "en", max_sentences=1)
    assert "by mouth" in answer
    assert "drip" in answer


CODE = """To fetch a reading, ask the station:

```python
reading = fetch("latest")
print(reading["wind"])
"""


def test_code_is_closed_and_cited_to_its_own_lines():
    answer = extract_answer("How do I fetch a reading?", [hit(1, CODE)], "en")
    assert answer.startswith("To fetch a reading, ask the station [1]:\n\n```python\n")
    assert answer.endswith('print(reading["wind"])\n```\n[1]')
    *_, code = check_answer(answer, CheckedSources([hit(1, CODE)]))
    assert code.supported
    assert (code.citations[0].start_line, code.citations[0].end_line) == (4, 5)


def test_a_source_file_is_shown_as_code():
    text = (
        "def retry(call, attempts=5):\n    for attempt in range(attempts):\n        call()\n\n\ndef stop():\n    pass\n"
    )
    found = Hit(1, "backoff.py", "", text, 0, len(text), 1, 8, score=1.0)
    answer = extract_answer("What does retry do?", [found], "en")
    assert (
        answer == "```py\ndef retry(call, attempts=5):\n    for attempt in range(attempts):\n        call()\n```\n[1]"
    )


def test_a_chunk_that_begins_within_code():
    text = '  "limit": {\n    "count": 2,\n    "policy": "local"\n  }\n}\n```\n\nThe policy is local here.\n'
    answer = extract_answer("What is the policy?", [hit(1, text)], "en")
    assert "The policy is local here [1]." in answer
    assert answer.count("```") in (0, 2)


def test_tags_and_includes_of_a_site_are_no_text():
    text = (
        "<Tabs\n  groupId=\"api\"\n  values={[\n    {label: 'API', value: 'a'}\n  ]}>\n\n"
        "{* ../api.py *}\n\n/// note | Hint\n\nThe API has two tabs.\n\n///\n"
    )
    assert extract_answer("Which tabs has the API?", [hit(1, text)], "en") == "The API has two tabs [1]."


PIECES = [
    "# t\n",
    "- item one\n",
    "- \n",
    "  1. item one. Two\n",
    "- **\n",
    "<b>\n",
    "    item = one()\n",
    "`a\0` ``\n",
    "| a | b |\n",
    "|---|---|\n",
    "| 1 | 2 |\n",
    "```\n",
    "item one. ",
    "\n",
    "what?",
    "项目一。",
]


@settings(max_examples=100)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_any_hit_gives_only_citations_to_itself(text):
    answer = extract_answer("item one 项目一?", [hit(1, text)], "en")
    for statement in check_answer(answer, CheckedSources([hit(1, text)])):
        assert {citation.marker for citation in statement.citations} <= {1}


def test_a_row_of_a_table_that_began_before_comes_with_its_header():
    rows = "| Team | $12 | 10 |\n| Large | $40 | 90 |"
    hit = Hit(1, "plans.md", "", rows, 100, 100 + len(rows), 9, 10, ("Plans", "Plan | Price | Seats"), 1.0)
    answer = extract_answer("What is the price of the Large plan?", [hit], "en", max_sentences=1)
    assert answer.splitlines() == ["| Plan | Price | Seats |", "| --- | --- | --- |", "| Large | $40 | 90 [1] |"]
    other = replace(hit, headings=("Plans", "Name | Price"))  # not of these columns
    answer = extract_answer("What is the price of the Large plan?", [other], "en", max_sentences=1)
    assert answer.splitlines()[0] == "|   |   |   |"


MATERIALS = """新员工应在入职当天提交以下材料：

- 身份证复印件两份；
- 最高学历证书的复印件；
- 离职证明。

材料不齐的，可以在入职后十个工作日内补交。
"""


def test_the_list_that_is_asked_for_comes_before_a_remark_on_it():
    answer = extract_answer("入职要交哪些材料？", [hit(1, MATERIALS, "员工手册", "入职材料")], "zh")
    assert answer.startswith("- 身份证复印件两份[1]；\n- 最高学历证书的复印件[1]；\n- 离职证明[1]。")


BUNDLE = """To trust two authorities, bundle their certificates.

1. Create the bundle

```shell
cat a.crt b.crt > bundle
```

2. Restart the proxy

Use the service manager:

```shell
systemctl restart proxy
```

3. Check the log for errors

The bundle may be read by everybody.
"""
NOTES = """Certificates of the bundle are read at the start:

1. those of the system
2. those of the bundle
"""


@pytest.mark.parametrize(
    "question", ["How do I bundle the certificates of two authorities?", "怎么 bundle certificates？"]
)
def test_steps_come_whole_and_in_order_and_from_one_list(question):
    hits = [hit(1, BUNDLE, "Two authorities"), hit(2, NOTES, "Reading", score=0.9)]
    answer = extract_answer(question, hits, "en")
    said = [
        "1. Create the bundle",
        "cat a.crt",
        "2. Restart the proxy",
        "service manager",
        "systemctl",
        "3. Check the log",
    ]
    assert [answer.find(step) for step in said] == sorted(answer.find(step) for step in said)
    assert all(step in answer for step in said)
    assert "those of the system" not in answer


def test_one_project_is_no_list_of_items():
    table = "| 项目 | 说明 |\n| --- | --- |\n| 课程项目 | 三人一组 |\n| 期中考试 | 闭卷 |\n"
    assert "闭卷" not in extract_answer("课程项目几个人一组？", [hit(1, table, "成绩构成")], "zh")


def test_beside_a_list_under_the_words_of_the_question_nothing_in_another_language_is_shown():
    zh = "# 体检须知\n\n## 当天要带\n\n* 身份证\n* 工牌\n"
    en = "# Router\n\nSwitch on the smart band so that each device uses the faster band.\n"
    answer = extract_answer("band paper 要带什么证件？", [hit(1, en), hit(2, zh)], "en")
    assert "身份证[2]" in answer
    assert "band" not in answer
