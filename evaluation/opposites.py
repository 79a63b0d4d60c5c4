"""Words that say the opposite: where one side has the one and the other side the other, they contradict each other."""

from __future__ import annotations

from functools import cache

from evaluation.claims import Term, stem

# One pair of sides a line; each side lists words that mean about the same.
_PAIRS_EN = """
increase rise rose risen grow grew gain / decrease fall fell fallen decline drop shrink shrank lose lost
more greater higher larger / less fewer lower smaller
above over exceeds / below under
before earlier prior / after later following
maximum most highest largest best / minimum least lowest smallest worst
all every always each / some few sometimes rarely seldom never none
win won / lose lost
accept approve allow permit enable include / reject refuse forbid prohibit ban disable exclude
begin began start open / end stop finish close
buy bought purchase / sell sold
first / last
success succeed / failure fail
true correct right / false incorrect wrong
support / oppose
required mandatory compulsory / optional voluntary
legal / illegal
possible / impossible
north northern / south southern
east eastern / west western
old older / young younger new newer
male man men / female woman women
import / export
public / private
internal / external
positive / negative
"""
_PAIRS_ZH = """
增加 增长 上升 上涨 提高 提升 升高 扩大 增 升 / 减少 下降 下跌 降低 降 缩小 减 下滑
高于 大于 超过 多于 以上 / 低于 小于 不足 少于 以下
之前 以前 / 之后 以后
最大 最高 最多 / 最小 最低 最少
全部 所有 / 部分 有些 少数
允许 可以 准许 同意 批准 / 禁止 拒绝 反对 驳回
必须 应当 需要 / 可选 自愿
开始 开启 打开 启动 / 结束 关闭 停止 终止
胜 赢 战胜 击败 / 负 输 败 不敌
成功 / 失败
购买 买入 买 / 出售 卖出 卖
支持 赞成 / 反对
进口 / 出口
有利 / 不利
正确 / 错误
合法 / 非法
安全 / 危险
公开 / 秘密
国内 / 国外
男 男性 / 女 女性
"""
_PREFIXES = ("un", "non", "dis")


@cache
def _lexicon() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in (_PAIRS_EN + _PAIRS_ZH).strip().splitlines():
        if line:
            one, other = ([stem(word) for word in side.split()] for side in line.split("/"))
            for word in one:
                found.setdefault(word, set()).update(other)
            for word in other:
                found.setdefault(word, set()).update(one)
    return {word: frozenset(words) for word, words in found.items()}


def opposite(term: Term, other: Term) -> bool:
    """True for rise and fall, 增长 and 下降, safe and unsafe."""
    if other.form in _lexicon().get(term.form, ()):
        return True
    short, long = sorted([term.written.lower(), other.written.lower()], key=len)
    return len(short) >= 4 and any(long == prefix + short for prefix in _PREFIXES)
