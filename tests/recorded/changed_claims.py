"""Claims against sources: sentences of files as they are, changed, of other files, and in the other language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import yaml

from evaluation.citations import CheckedSources, CitationStream, answer_support, check_answer
from evaluation.support import SourceText, judge
from evaluation.unsourced import SentenceMarks, mark_unsourced
from schema import GlossaryPair, Hit, Place
from tests.recorded.evidence_rows import judgement_row, statement_row
from tests.recorded.normal import Json
from text import sentences
from translation.glossary import Glossary

Change = tuple[str, str]  # a regular expression, and what stands in place of its first match

# What a sentence may say wrong, in either language. A change that changes nothing is no claim.
CHANGES: Mapping[str, Sequence[Change]] = {
    "number": [(r"\d(?=\D*\Z)", "7"), (r"(?<=[一二三四五六七八九])十", "百"), (r"\btwo\b", "three"), ("两", "三")],
    "digit more": [(r"\d+", r"\g<0>0"), ("[一二三四五六七八九]", r"十\g<0>")],
    "rounded": [(r"(\d+)\.\d+", r"\1"), (r"\d{2,}", r"about \g<0>"), (r"\d", r"约\g<0>")],
    "unit": [("€|£|\\$", "¥"), ("元", "美元"), (r"\bminutes?\b", "hours"), ("分钟", "小时"), (r"\bdays?\b", "weeks"),
             ("天|日", "周"), ("%", " kg"), (r"\bkm\b", "m")],
    "denied": [(r"\b(is|are|was|were|can|must|may|will|should)\b", r"\1 not"), ("[须应可能要有是]", r"不\g<0>")],
    "not denied": [(r"\b(not|no|never|without) ", ""), ("不得|不可|不能|不", "可")],
    "date": [(r"\b(January|March|May|July|September|November)\b", "June"), (r"\d+月", "2月"), (r"\d+日", "29日"),
             (r"\b(Mon|Tues|Wednes|Thurs|Fri)day", "Sunday"), ("(周|星期)[一二三四五六]", r"\1日")],
    "time": [(r"(\d+):(\d\d)", r"\1:59"), ("上午", "下午"), (r"\bam\b", "pm"), (r"(\d+)点", "十一点")],
    "name": [(r"(?<=[a-z,] )[A-Z][a-z]{2,}", "Margaret"), (r"(?<=[a-z,] )[A-Z]{2,}", "QXZ"),
             ("[王李张刘陈杨赵黄周吴][一-鿿]{1,2}(?=[，。、：；）])", "欧阳修")],
    "opposite": [(r"\bbefore\b", "after"), (r"\bmore\b", "less"), (r"\bat least\b", "at most"), (r"\ball\b", "no"),
                 ("以上", "以下"), ("不超过", "不少于"), ("之前|前", "之后"), ("增加", "减少"), ("最高", "最低")],
    "half": [(r"\A(.{12,}?)[，,;；].*", r"\1。")],
    "turned": [(r"\A(.{6,}?)([，,;；])\s*(.{6,})[。.]\Z", r"\3\2\1。")],
    "more": [(r"[。.]?\s*\Z", "，并且要付双倍的钱。"), (r"[。.]?\s*\Z", ", and twice that for guests.")],
}  # fmt: skip

# Sentences of files in the other language, as a person translates them. Each is held against its file, as it is and
# changed, and against another file.
TRANSLATED: Mapping[str, Sequence[str]] = {
    "lease.md": (
        "每月一日通过银行转账支付950英镑的房租。",
        "押金为两个月房租，租客搬走后14天内退还。",
        "房东负责维修锅炉、屋顶和窗户。",
        "水管爆裂等紧急故障必须立即报告热线 0800 555 010。",
        "可以养一只猫或一只小狗，室内不得吸烟。",
        "四月至九月间花园每月至少割草两次。",
    ),
    "weekly-notes.md": (
        "付款页面延期，因为银行没有发来证书。",
        "出席：Dana、Ivo、Priya，汤姆请假。",
        "下次会议3月10日14点在小会议室举行。",
        "Ivo修复了旧安卓手机上的崩溃，随4.2版发布。",
    ),
    "coffee-machine.txt": (
        "二楼的咖啡机每星期五除垢。",
        "一升温水只放两片蓝盒子里的药片。",
        "红灯闪烁表示水箱空了。",
        "咖啡豆少于三袋时告诉玛尔塔。",
    ),
    "采购管理办法.md": (
        "Purchases above 50,000 yuan are approved by the general manager.",
        "A single purchase above 20,000 yuan needs written offers from at least three suppliers.",
        "Payment follows within 30 days after the goods have been accepted.",
        "An advance must not exceed 30 percent of the contract.",
        "Suppliers are told of defects in writing within seven days.",
    ),
    "差旅报销规定.md": (
        "Employees apply three days before a business trip.",
        "Everybody flies economy class.",
        "A taxi is refunded up to 80 yuan a day.",
        "Hotels cost at most 500 yuan a night in large cities.",
        "No receipt is needed for the meal allowance of 100 yuan a day.",
    ),
    "家长须知.md": (
        "School begins on March 3, and registration is on March 1.",
        "Lunch costs 450 yuan a month; tell Ms Wang of allergies.",
        "Phones must not be brought into the classroom.",
        "The spring outing is on 18 April and costs 120 yuan.",
    ),
}


def claim_rows(documents: Mapping[str, str], step: int) -> Iterator[Json]:
    """Each so manieth sentence of each file, as it is and with all that may be changed in it, held against the file."""
    names = [*documents]
    for place, name in enumerate(names):
        source, other = SourceText(documents[name], name), documents[names[place - 1]]
        said = [documents[name][start:end].strip() for start, end in sentences(documents[name])]
        for number, sentence in enumerate(said[place % step :: step]):
            claims = {"as it is": sentence, **changed_claims(sentence)}
            judged = {kind: judgement_row(judge(claim, [source])) for kind, claim in claims.items()}
            yield {"row": f"claim, {name} {number}: {sentence[:60]}", **judged}
        foreign = [other[start:end].strip() for start, end in sentences(other)][place % step :: 2 * step]
        judged = {sentence[:60]: judgement_row(judge(sentence, [source])) for sentence in foreign}
        yield {"row": f"claims, {names[place - 1]} against {name}", **judged}


def changed_claims(sentence: str) -> dict[str, str]:
    """By what was changed in it."""
    found = {}
    for kind, changes in CHANGES.items():
        for number, (pattern, by) in enumerate(changes):
            claim = re.sub(pattern, by, sentence, count=1)
            if claim != sentence:
                found[f"{kind} {number}"] = claim
    return found


def translated_rows(documents: Mapping[str, str]) -> Iterator[Json]:
    names = [*TRANSLATED]
    for place, name in enumerate(names):
        sources = [SourceText(documents[name]), SourceText(documents[names[place - 1]])]
        for sentence in TRANSLATED[name]:
            claims = {"as it is": sentence, **changed_claims(sentence)}
            judged = {kind: judgement_row(judge(claim, sources[:1])) for kind, claim in claims.items()}
            judged["of both"] = judgement_row(judge(sentence, sources))
            judged["of another"] = judgement_row(judge(sentence, sources[1:]))
            yield {"row": f"across languages, {name}: {sentence}", **judged}


def pair_rows() -> Iterator[Json]:
    """Claims about sources that were written for them, each held against its source, two of them, and what is cited."""
    pairs = yaml.safe_load((Path(__file__).parent / "data" / "claims.yaml").read_text(encoding="utf-8"))
    read = [SourceText(one["source"], "Rules" if number % 2 else "") for number, one in enumerate(pairs)]
    own = Glossary([GlossaryPair("水泵", "supplier"), GlossaryPair("巴黎", "Oslo"), GlossaryPair("滤网", "button")])
    for number, one in enumerate(pairs):
        doubts = Place(0, "page", 3, doubts=("2412 0.71", "Oslo 0.9", "滨海路 0.4", "14 0.8", "button 0.3"))
        hit = Hit(1, "scan.pdf", "", one["source"], 0, len(one["source"]), 1, 4, places=(doubts,))
        for claim in one["claims"]:
            cited = check_answer(f"{claim} [1]", CheckedSources([hit]))
            yield {
                "row": f"pair, {number}: {claim}",
                "judged": judgement_row(judge(claim, [read[number]])),
                "with a glossary": judgement_row(judge(claim, read[number : number + 2], "Was it so? 是吗？", own)),
                "cited": [statement_row(statement) for statement in cited],
            }


# --- whole answers -----------------------------------------------------------------------------------------------

# What stands between sentences of an answer: how a model writes its markers, and what it writes besides.
FORMS = (
    "{0} [1] {1} [2]",
    "{0}[1][2]{1}[9]",
    "## Answer\n\n- {0} [1]\n- **{1}** [2, 3]\n\n{2}",
    "根据资料：\n\n1. {0}【1】\n2. {1}[2、1]\n\n资料中没有提到其他内容。",
    "Yes. {0} [1]\n\n| a | b |\n|---|---|\n| {1} [2] | 7 |\n| x | y |\n\n> {2} [1]–[3]",
    "```\n{0}\n```\n[1]\n\n{1} ⚠ {2} [1]. What else?",
    "[1] {0} [2] {1}\n\nThe sources do not say more. \\[1\\] `[2]` {2}[^3]",
)


def answer_rows(documents: Mapping[str, str]) -> Iterator[Json]:
    """Answers made of sentences of files, checked as a whole and as they stream in small pieces."""
    texts = list(documents.items())
    for place in range(len(texts)):
        three = [texts[(place + step) % len(texts)] for step in range(3)]
        hits = [_hit(number, *one) for number, one in enumerate(three)]
        said = [[text[start:end].strip() for start, end in sentences(text)] for _, text in three]
        picked = [one[place % len(one)] for one in said]
        for number, form in enumerate(FORMS):
            answer = form.format(*picked)
            sources = CheckedSources(hits, "What is said here? 这里讲了什么？")
            statements = check_answer(answer, sources)
            yield {
                "row": f"answer, {texts[place][0]} {number}: {answer[:60]}",
                "statements": [statement_row(one) for one in statements],
                "support": answer_support(statements),
                "marked": mark_unsourced(answer, statements),
                "streamed": _streamed(answer, sources, 1 + number),
            }


def _hit(number: int, name: str, text: str) -> Hit:
    return Hit(number, name, "", text, 0, len(text), 1, 1 + text.count("\n"), headings=(name,))


def _streamed(answer: str, sources: CheckedSources, size: int) -> str:
    """As it is shown where it comes in pieces of so many characters."""
    stream, marks, shown = CitationStream(sources), SentenceMarks(), list[str]()
    for at in range(0, len(answer) + size, size):
        for piece in stream.feed(answer[at : at + size], final=at >= len(answer)):
            shown.append(marks.feed(piece, stream.shown(piece)))
    return "".join([*shown, marks.end()])
