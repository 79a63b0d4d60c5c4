"""Whether a message only says yes or no to what was offered."""

from __future__ import annotations

import re

from planning.folding import folded, normal

_LONGEST = 60  # characters; who writes more says more
_BOUND = 1_000  # the same with blanks around them
_signs = {"👍": "yes", "👌": "yes", "✅": "yes", "🆗": "yes", "👎": "no", "❌": "no", "🙅": "no"}

_end_zh = "(?:吧|呀|啊|呗|啦|哈|哦|噢|喔|嘛|哒|滴|的|了|咯|喽)*"
_lead_zh = "(?:那么?|就|请|麻烦|帮忙?|给|替|我|你|您|快|赶紧|去|来|可以|要不|要|想|需要|当然|直接|先)*+"
_search_zh = (
    "(?:(?:去|到|在|从)?(?:上网|联网|连网|网上|互联网上?|网络上?))?(?:去|来|再|先)?"
    "(?:搜索|搜寻|搜|查找|查询|查|找)(?:一[搜查找]|一下|下|搜|查|找)?(?:看看|看|试试)?"
)
_refuse_zh = "(?:先|暂时|现在|还是|那|就|我|请|你)*+(?:不用|不要|不必|不需要|不想要?|不|别|无需|没必要|没有必要|用不着)"
_search_en = (
    "(?:(?:a )?web search|google(?: it| that)?|(?:search|look|check|go|try)(?: it| that| this)?(?: up)?"
    "(?: for (?:it|that|me)| (?:on )?the (?:web|internet)| online)*)"
)

_assent = re.compile(  # a yes, but also what stands before a no: “好的，不用了”, "ok, no thanks"
    rf"(?:好{{1,4}}|行{{1,3}}|嗯+|可以|没问题|知道){_end_zh}"
    "|ok+|okay|o.k|kk?|fine|alright|all right|well|great|cool"
)
_yes = re.compile(
    rf"(?:是{{1,3}}|对{{1,3}}|要|需要|想|同意|当然(?:可以|要)?|必须|没错|可以可以|试试|试一下|麻烦|来){_end_zh}"
    rf"|{_lead_zh}(?:{_search_zh}|上网|联网|搜索网络|试试看?|这[么样]做){_end_zh}"
    "|y|(?:yes ?)+|yeah|yep|yup|aye|sure(?: thing)?|of course|certainly|absolutely|definitely|indeed|agreed|i agree"
    "|why not|by all means|(?:please )?(?:go (?:ahead|for it|on)|do(?: it| so| that)?|proceed|continue)"
    "|(?:yes |sure |ok |okay )?please(?: do)?|let's (?:do it|do that|go|try)|sounds? (?:good|great|fine)|that's fine"
    "|(?:that|it)(?: would|'d) be (?:great|good|nice|helpful)|i'd (?:like|love) (?:that|to)|you (?:may|can|should)"
    rf"|(?:yes |sure |ok |okay )?(?:please |do |you (?:can|may) )?{_search_en}(?: please)?"
)
_no = re.compile(
    rf"{_refuse_zh}(?:麻烦|再|去)*(?:{_search_zh}|上网|联网)?{_end_zh}"
    "|(?:不{2,4}|不行|不可以|不好|不同意|不了|否|算|免|拒绝|取消|跳过|没关系"
    rf"|(?:以后|下次|回头|[待等]会儿?)(?:再说)?){_end_zh}"
    "|n|(?:no ?)+|nope|nah|never ?mind|nvm|negative|(?:no|not) (?:need|necessary|needed|now|today|really|this time)"
    "|no (?:thanks|thank you|thx|ty|need to(?: search)?|don'?t|please don'?t|(?:web )?search(?:ing)?)"
    rf"|(?:please )?(?:don'?t|do not)(?: bother| do (?:it|that)| {_search_en})?|(?:i'd )?rather not|i'm (?:good"
    rf"|fine|ok)"
    "|skip(?: it| that| this)?|cancel(?: it)?|stop|leave it|forget it|maybe later|later|decline"
)
_polite = re.compile(
    rf"(?:谢{{1,3}}|多谢|感谢|辛苦|麻烦|拜托)(?:你|您)?{_end_zh}|{_end_zh}|[哦噢额呃]+"
    "|thanks(?: a lot| so much| though)?|thank you(?: very much)?|thx|ty|cheers|please|pls|plz|oh|ah|um+|hm+"
)
_break = re.compile(r"[^\w'\s]+|(?<=[\u3400-\u9fff])\s+|\s+(?=[\u3400-\u9fff])|_+")


def read_agreement(message: str) -> bool | None:
    """“好的”, "sure, go ahead" are True; “不用了，谢谢”, "nope" are False; whatever asks or says more is None."""
    text = normal(message[:_BOUND]).strip()
    if not text or len(text) > _LONGEST or len(message) > _BOUND:
        return None
    for sign, word in _signs.items():
        text = text.replace(sign, f",{word},")
    plain = folded(text)
    if "?" in plain:
        return None
    answers: set[bool] = set()
    assents = False
    for piece in (" ".join(piece.split()) for piece in _break.split(plain)):
        if _no.fullmatch(piece):
            answers.add(False)
        elif _yes.fullmatch(piece):
            answers.add(True)
        elif _assent.fullmatch(piece):
            assents = True
        elif not _polite.fullmatch(piece):
            return None
    if len(answers) == 1:
        return answers.pop()
    return True if assents and not answers else None
