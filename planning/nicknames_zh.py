"""Files that a message calls in Chinese by some words of their name: 报销制度里, 华信那份合同, 那个表格."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from planning.document_words import KIND_OF, VAGUE, NameWords
from planning.han_words import DATE, NOUNS, HanFit, fit_in_han
from planning.known_files import KnownFiles
from planning.name_versions import version_called
from planning.near_calls import near_call_in_han
from planning.terms import EXCEPT_ZH

_MOST = 8  # names that are looked at
_FEWEST = 3  # characters, and one more, that call a file without a word for its kind
_BACK = 12  # characters of a name
_noun = "|".join(NOUNS)
_sort = "文件|文档|资料|材料|东西|pdf|excel|word|ppt|表格?|书|报告|合同|手册|协议|制度|指南|办法|清单|笔记|" + _noun
_that = r"[那这]一?[个份本篇张部套次期版封届]"
_anchor = re.compile(
    rf"(?P<about>[那这]一?[份本篇个](?:是|专门)?(?:讲|说|写|谈|关于|有关|涉及|介绍)(?:的是)?(?P<matter>[\u3400-\u9fff]{{2,8}}?)的"
    rf"(?:{_sort})?(?=[,:里上中说写提有]|\s?$))|(?P<noun>(?:{_noun})+(?:[ _]?20[0-9][0-9](?![0-9]))?)"
    rf"|(?P<that>{_that}\s?(?:{_sort}))"
    rf"|(?P<place>(?=(?:里面?|里头|(?<=会)上|上面?(?=写|说明|列|标|印|注明|显示|规定|记载|讲)|中(?![\u3400-\u9fff]|国))))"
    r"|(?P<cut>(?<=[a-z0-9])(?=\s?(?:要|得|需要|按|改成|换成|改用)?\s?(?:重新?[切分]|再?切(?!割)|[0-9]|语义"
    r"|递归|定长|固定|标题)))"
    r"|(?P<one>[那这][份本篇封](?![额内]))"
    r"|(?P<kind>(?<![a-z])(?:pdf|excel|csv|ppt)(?![a-z])\s?(?:文件|文档|表格?)?)"
)
_BEHIND_UP = "[传海班线限级涨升调报市架门岗午周月年半下交缴浮诉述司]"  # 上限 is one word, and names no place
_says = (
    "怎么|咋|如何(?!写|制定)|有没有|有无|是否|是怎么|提到|提没提|写没写|说没说|主要|大概|呢|而言|那边|不算|先放|先不|规定|要求|写|说|讲|建议|推荐|列|显示|记载|关于|对"
    rf"|一共|总共|允许|禁止|约定|明确|里|中|上(?!{_BEHIND_UP})|当中|之中"
    "|第[0-9一二三四五六七八九十]|[那这][份本篇张个](?=[,:的里]|再|重|要|文件|文档)|给出|给的|有(?!效|关|用)"
    "|都|和|与|跟|及|以?外|除外"
)
_place_after = re.compile(
    rf"\s?(?:里面?|里头|中(?![心国文期标止断途奖介层年])|内(?![容部存网])|上(?!{_BEHIND_UP}|面临)|当中|之中|为准|的话|来[说看讲]|来?(?:回答|作答|答复)|的(?:说法|写法|内容|规定)|除外|以?外|之外"
    r"|这[两三四几][个份本篇](?:文件|文档|资料)?(?:里|中|都|谁|哪)"
    rf"|(?:就|都|可以|先)?(?:不|别)[用要必]?[看查翻管算]|{_says})"
)
_begins = re.compile(r"(?:^|[,.:;?!\n]\s?)(?:我?们?的)?$")
_about = re.compile(r"(?![吗呢吧啊么才会要能可应需必是由])[\u3400-\u9fff]{2}")  # 租房合同押金几个月
_ends = re.compile(r"\s?(?:$|[,.?!:;()、\-–—\n\"])")
_place_before = re.compile(
    r"(?:关于|根据|按照?|依据|依照?|参照|参考|对照|基于|结合|查阅|查一?[下查看]|查找|检索|搜索|搜一?[下搜]|搜|问一?[下问]|打开|就|去掉|不?考虑|引用|摘录|信|认|用|查|翻阅|翻一?[下翻看]|翻|看一?[下看眼]"
    r"|看|在|从|去|到|以|照|凭|据|读一?[下读]|读|打开"
    rf"|只|仅|光|就|{EXCEPT_ZH}|排除|跳过|略过|忽略|抛开|撇开|不[用要]?[看查翻管]?|别[看查翻管]?|把|将|对比|比较"
    r"|总结|概括|归纳|概述|梳理|提炼|介绍|比对|和|与|跟|同|及|、|限于|限定)"
    r"(?:一下|一遍)?\s?(?:我们?的?|咱们的?|公司的?|那|这|一下|[个份本张篇]|里的?|的|在|从){0,3}$"
)
_any_file = re.compile("的(?:文件|文档|资料)$")
_verb = re.compile("[用看查按依在从照翻读问](?=..)")
_leads_in = re.compile(  # 关于休假的文件, 除了和开元的合同, 咱们的制度
    "(?:关于|有关|涉及|讲|写|(?:我们?|咱们?|公司)的|(?:^|(?<=[,:。?!了看查管用略开除])|(?<=除去))[和跟与同])$"
)
_by = re.compile(r"(?:根据|按照|依据|依照|参照|参考|对照|查阅|翻阅)(?:一下)?(?:我们?的?|公司的?|那份|这份)?\s?$")
_demonstrative = re.compile(r"(?:[那这]一?[个份本篇张部套]|我们?的|咱们的|我那[个份])\s?$")
_boundary = re.compile(
    r"(?:^|[^\u3400-\u9fffa-z0-9_]|上次的?|上回的?|这次的?|最近的?|最新的?|昨天的?|之前的?|请|知道|帮我|问下?"
    r"|那么|吗|呢|一下|关于|有关|涉及|讲|写)$"
)
_made_before = re.compile(
    "(?:哪些|什么|几[种个份]|多少|怎样的|这是|附件是|[这那]份是|最?新的|一[种类]|写|起草|制定|签订?|编写?|拟定?"
    "|填写?|一[份个]|什么是|啥是|[每某任哪]一?[份个]|任何|所有|提交|出具|发布|准备|[新旧])(?:我们?的?|公司的?"
    "|最新的?|的){0,2}$"
)
_made_after = re.compile(
    r"\s?(?:一般|通常|法(?![院人])|(?:应该?|该|要|得|可以)?(?:怎么|如何)(?:[写填做签弄定编拟办存]|制定|续签|申请|保存|更新|提交)"
    r"|(?:要|得|应该?|需要?)?(?:保存|保留|留存|存)(?:多久|多长|几年|多少年)"
    r"|有?(?:没有|什么)?(?:法律)?效力|(?:弄?丢|遗失|过期|作废|损坏)了?(?:怎么|如何|咋|能|可以|还)"
    r"|(?:今年|明年|最近|以后|将来)?(?:还|会|要|有)*(?:变化?|变动|调整|修改|更新)(?:吗|么|没有|[?\s]*$)|多久[^,?]{0,2}(?:更新|写|编"
    r"|修订|开|发|定|做)|的(?:保存|归档)|如何[写制编]|是什么(?:意思)?[?\s]*$|该?怎么写|的?(?:模板|范本|格式|定义"
    r"|作用|写法)|由谁|有多重要|管理(?!规|办|制))"
)
_one_noun = re.compile(_noun)
_cut_after = re.compile(
    r"\s?(?:要|得|需要|应该?|之前|现在)?(?:重新?[切分拆来入存做建]|再?切(?![割换实口勿忌削除])|拆(?!除|迁)"
    r"|分[块段片成]|[换改](?:个|一[个种]|成|为|用)"
    r"|的?(?:切片|分块|切块|重叠))"
)
_joint = "[和与跟及、]|以及|还有"
_joined_before = re.compile(rf"([\u3400-\u9fffa-z0-9 ]{{2,10}}?)(?:{_joint})(?:那份|那个)?$")
_joined_after = re.compile(rf"(?:{_joint})(?:那份|那个)?([\u3400-\u9fff]{{3,10}})")


def calls_in_han(
    text: str, likely: Sequence[tuple[str, NameWords]], upload: bool, cut: bool, known: KnownFiles
) -> Iterator[tuple[int, int, str]]:
    """(start, end, file) of the names that stand as a document's name does, or of what is to be `cut`."""
    if not re.search("[\u3400-\u9fff]", text):
        return
    for found in islice(_anchor.finditer(text), _MOST):
        yield from _called(text, found, likely, upload, cut, known)
    if cut:
        yield from _cut_by_their_words(text, likely)


def _cut_by_their_words(text: str, likely: Sequence[tuple[str, NameWords]]) -> Iterator[tuple[int, int, str]]:
    """Files of which most Chinese words up to a break stand in an order to cut them: 施工组织设计_3号楼.pdf."""
    runs = [(run, name) for name, its in likely for run in its.han.split() if len(run) > _FEWEST]
    most = [(run[: max(_FEWEST + 1, len(run) - 2)], name) for run, name in runs]
    for run, name in [one for one in dict.fromkeys([*runs, *most]) if one[0] in text]:
        if sum(run in its.han for _, its in likely) == 1:
            yield text.index(run), text.index(run) + len(run), name


def placed_in_han(after: str) -> bool:
    """Whether what stands behind a name takes it as a place to look, or as what says something: 里, 有没有, 规定."""
    return bool(_place_after.match(after))


def placed_before_in_han(before: str) -> bool:
    """Whether what stands in front of a name takes it as a place to look: 根据, 看一下, 除了."""
    return bool(_place_before.search(before))


def _called(
    text: str,
    found: re.Match[str],
    likely: Sequence[tuple[str, NameWords]],
    upload: bool,
    cut: bool,
    known: KnownFiles,
) -> Iterator[tuple[int, int, str]]:
    if found["about"]:  # 那篇讲校服的
        fitting = [name for name, its in likely if (fit := fit_in_han(found["matter"], "", its)) and fit.own]
        yield from [(found.start(), found.end(), name) for name in fitting if len(fitting) == 1]
        return
    if found["that"] or found["one"]:  # 华信那份合同, 华信那份里
        noun = re.sub(rf"^{_that}\s?", "", found["that"]) if found["that"] else "文件"
        yield from _best(text, found.start(), found.end(), likely, upload, cut, known, noun)
        return
    end = found.end("noun") if found["noun"] else found.end("kind") if found["kind"] else found.start()
    if (
        found["place"] is not None
        and text[end - 1 : end + 1] == "会上"
        and not DATE.search(text, max(0, end - _BACK), end)
    ):
        return  # 家长会上 is no file, 6月4号的家长会上 is its minutes
    calls = [*_best(text, end, end, likely, upload, cut, known, "")]
    first = _one_noun.match(found["noun"] or "")
    if not calls and first and found["noun"][first.end() :] in ("规定", "条款", "记录", "结果", "数据", "章节", "安排"):
        end = found.start() + first.end()  # 租赁合同规定: what it says
        calls = [*_best(text, end, end, likely, upload, cut, known, "")]
    if not calls and first and not upload and placed_in_han(text[end : end + 12]) and not _made_after.match(text, end):
        near = near_call_in_han(text, end, first[0], likely, known)
        calls = [(near[0], end, near[1])] if near else []
    yield from calls


def _best(
    text: str,
    end: int,
    whole: int,
    likely: Sequence[tuple[str, NameWords]],
    upload: bool,
    cut: bool,
    known: KnownFiles,
    noun: str,
) -> Iterator[tuple[int, int, str]]:
    """The longest words before `end` (with `noun` behind them) that fit one file best."""
    run = re.search(r"(?:[\u3400-\u9fffa-z0-9 _\-]|(?<=[0-9])\.(?=[0-9])){0,12}$", text[max(0, end - _BACK) : end])
    first = end - len(run[0]) if run else end
    for start in range(first, end + 1 if noun else end - 1):
        words = text[start:end]
        beside = text[max(0, start - 1) : start + 1]
        if words[:1] == " " or re.fullmatch(r"\.[0-9]", beside) or (start > first and re.match("[a-z0-9]{2}", beside)):
            continue
        fits = sorted(
            ((fit, name) for name, its in likely if (fit := fit_in_han(words, noun, its))),
            key=lambda one: one[0], reverse=True,
        )  # fmt: skip
        if not fits:
            continue
        fit, name = fits[0]
        its = next(its for one, its in likely if one == name)
        if _verb.match(words) and f" {words[:2]}" not in f" {its.han}" and fit_in_han(words[1:], noun, its):
            continue  # 用说明书, of a file 使用说明书
        best = [name for other, name in fits if other == fit]
        version = version_called(text[max(0, start - 8) : start], best, best, known)
        if version and placed_in_han(text[whole : whole + 12]):  # 最新的报告里
            yield start - len(version[0]), whole, version[1]
            return
        if (len(fits) == 1 or fit > fits[1][0]) and (
            (cut and words not in VAGUE and not _made_before.search(text[max(0, start - 12) : start]))
            or _stands(text, start, whole, fit, words, noun, upload)
        ):
            lead = _leads_in.search(text[max(0, start - 6) : start])
            yield start - len(lead[0]) if lead else start, whole, name
            yield from _beside(text, start, whole, name, likely)
        return


def _beside(
    text: str, start: int, end: int, beside: str, likely: Sequence[tuple[str, NameWords]]
) -> Iterator[tuple[int, int, str]]:
    """The file whose name is joined to another's, and may share its last word: 张伟和李娜的简历."""
    kind = next((noun for noun in NOUNS if text[:end].endswith(noun)), "")
    if found := _joined_before.search(text[max(0, start - 14) : start]):
        run, last = found[1], start - len(found[0]) + len(found[1])
        runs = [(last - size, last, run[-size:]) for size in range(len(run), 1, -1)]
        yield from _only_fits(runs, "", kind, beside, likely)
    if found := _joined_after.match(text, end):
        runs = [(found.start(1), found.start(1) + size, found[1][:size]) for size in range(len(found[1]), 2, -1)]
        yield from _only_fits(runs, text[start : end - len(kind)].rstrip("的"), "", beside, likely)


def _only_fits(
    runs: Sequence[tuple[int, int, str]], shared: str, kind: str, beside: str, likely: Sequence[tuple[str, NameWords]]
) -> Iterator[tuple[int, int, str]]:
    """The runs whose words, with the word for the kind behind them, fit one other file: alone, or else with the words
    in front of both: 恒达的合同和报价单."""
    for start, end, run in runs:
        alone = run in KIND_OF and run not in VAGUE
        fits = [
            (name, fit) for name, its in likely if (fit := fit_in_han(run + kind, "", its) or fit_in_han(run, "", its))
        ]
        if len(fits) > 1 and shared:
            fits = [one for one in fits if fit_in_han(shared + run, "", dict(likely)[one[0]])]
        if fits:
            if len(fits) == 1 and fits[0][0] != beside and (fits[0][1].own or len(run) > 3 or alone):
                yield start, end, fits[0][0]
            return


def _stands(text: str, start: int, end: int, fit: HanFit, words: str, noun: str, upload: bool) -> bool:
    """Whether the words stand as a document's name does."""
    before, after = text[max(0, start - 12) : start], text[end : end + 12]
    placed = bool(_place_before.search(before))
    if start == 0 and not after.strip(" .!?。"):
        return False
    if _made_after.match(after) or (_made_before.search(before) and not placed):
        return False
    bounded = placed or bool(_boundary.search(before)) or bool(_demonstrative.search(before))
    if noun:
        return fit.own or (not upload and bool(bounded))
    if fit.own and fit.exact and (fit.kind or (_any_file.search(words) and _leads_in.search(before))):
        return True
    if not fit.exact:
        return bounded and bool(_place_after.match(after) or (placed and _ends.match(after)))
    if fit.own:
        placed_behind = bool(_place_after.match(after) or _cut_after.match(after))
        return len(words) > 2 and bounded and placed_behind and (not words.isascii() or words in KIND_OF)
    if upload or not bounded:
        return False
    if _cut_after.match(after) or (len(words) > 3 and after.startswith("的")):  # 保密协议的有效期
        return True
    if words in VAGUE and not _demonstrative.search(before):  # “按规定，…” means no file
        return False
    if _begins.search(before) and after.startswith(":") and words in KIND_OF and words not in VAGUE:
        return True
    subject = len(words) > 3 and bool(_begins.search(before) and _about.match(after))
    return (
        bool(subject or _by.search(before) or _place_after.match(after))
        or bool(_demonstrative.search(before))
        or (placed and bool(_ends.match(after)))
    )
