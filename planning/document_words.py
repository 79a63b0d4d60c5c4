"""What stored files may be called: the words of their names, and what kinds of documents are called in both languages.

A word and its translation are one idea: "the lease" is 租赁合同, 那个表格 is a file that ends in .xlsx.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from heapq import nlargest
from itertools import pairwise
from typing import NamedTuple

from planning.folding import folded, normal

# Kinds of documents. Words of one line mean the same kind; a name shows its kind by a word or by its extension.
_KINDS = """
contract agreement 合同 协议 契约 协议书 合约
lease tenancy 租约 租赁合同 租房合同 租赁协议 租房协议
report 报告 报告书 年报 季报 月报 周报 简报
handbook manual guide instruction guidebook 手册 指南 指引 说明书 攻略 使用说明 须知
policy regulation rule bylaw bylaws 制度 规定 办法 细则 规程 规范 条例 公约 章程 守则 规则 政策 准则 规章
minute protocol 纪要 会议记录 会议纪要
note notebook journal diary logbook 笔记 记录 日志 随笔 日记
spreadsheet workbook sheet table figure excel 表 表格 电子表格 统计表 明细表 程序表 一览表
checklist list 清单 检查表 核对表
catalogue catalog directory inventory 目录 名录
list 列表 名单 清单
quote quotation estimate 报价单 报价表 报价 估价单
invoice receipt bill 发票 账单 收据
proposal application 申请书 提案 建议书 标书 申报书
plan schedule timetable roadmap 计划 规划 方案 日程 计划书 安排 计划表 时间表 预案
paper article essay 论文 文章
thesis dissertation 论文 学位论文
draft 草稿 初稿 稿子
review survey 综述 述评 评审
chapter 章节
transcript 访谈记录 逐字稿 文字稿 转录稿
slide deck presentation 幻灯片 演示文稿 课件 演示
postmortem retrospective 复盘 事故报告 复盘报告
incident outage 事故 故障
runbook playbook 运维手册 操作手册 应急手册
changelog 更新日志 变更日志 变更记录
spec specification 规格 规格书 规范
summary overview digest 总结 汇总 概览 小结
faq 常见问题 问答
readme 自述文件
tutorial course 教程 讲义 教材 课程
syllabus 大纲 教学大纲 课程大纲
letter 信件 信函
memo memorandum 备忘录
notice announcement 通知 公告 通告
budget 预算 预算表
nda 保密协议
terms conditions 条款
resume cv 简历
recipe cookbook 菜谱 食谱
itinerary 行程 行程单
reference 参考 参考手册
book novel 书 小说
result finding 结果
data dataset 数据 数据集
record 档案 记录
form 表单 申请表
opinion 意见 意见书
law act 法规 法律
white whitepaper 白皮书
certificate permit licence license approval 证书 许可 许可证 批件
"""
_EXTENSIONS = {
    "pdf": "pdf",
    "xlsx": "spreadsheet excel xlsx xls 表格 表 电子表格",
    "xls": "spreadsheet excel xls 表格 表 电子表格",
    "csv": "spreadsheet csv 表格 数据 表",
    "tsv": "spreadsheet tsv 表格",
    "docx": "word docx",
    "doc": "word doc",
    "pptx": "slide deck presentation powerpoint ppt pptx 幻灯片 课件 演示文稿",
    "epub": "epub ebook 电子书",
}
# Subjects that documents of an office, a home or a school are named after.
_SUBJECTS = """
employee staff personnel 员工 职工 人员
travel trip 差旅 出差 旅行 旅游
expense reimbursement 报销 费用
attendance timekeeping 考勤
leave vacation holiday absence 休假 请假 假期
training 培训
performance appraisal 绩效 考核
onboarding newcomer newbie 入职 新人 新员工
salary pay compensation payroll 薪酬 工资
annual yearly 年度
quarterly 季度
financial finance 财务
sales 销售
purchase purchasing procurement 采购
vendor supplier 供应商
customer client 客户
product 产品
price pricing 价格
security 安全
information 信息
privacy 隐私
project 项目
meeting 会议 例会 周会
board 董事会
shareholder 股东
insurance 保险
claim 理赔 索赔
tax 税务 报税 税
warranty guarantee 保修 质保
appliance 家电 电器
property 物业
rental rent tenancy lease 租赁 租房 房屋租赁
house housing home flat apartment 房屋 住房
renovation decoration refurbishment 装修
solar photovoltaic 太阳能 光伏
health medical 健康 医疗
checkup 体检
newborn neonatal infant baby 新生儿 婴儿
pediatric paediatric children 儿科 儿童 小儿
disease illness 疾病
treatment therapy 治疗 诊疗
vaccination vaccine immunization immunisation 疫苗 接种 疫苗接种
prescription prescribing 处方
outpatient clinic 门诊
surgery surgical 手术 手术室
disinfection sterilization sterilisation 消毒
nursing care 护理
hypertension 高血压
drug medicine pharmacy medication 药品 药物 用药
ward 病房
teaching 教学
research 研究
interview 访谈 采访 面试
literature 文献
experiment laboratory lab 实验 实验室
ethics 伦理
grant funding 基金 资助
backup 备份
deployment deploy 部署 上线
network networking 网络
oncall 值班 轮值
release version 发布 版本
payment 支付 付款
cache caching 缓存
api 接口
design 设计
requirement 需求
test testing 测试
architecture 架构
user 用户
operation 操作 运维
safety 安全
quality 质量
environment environmental 环境
recruitment hiring 招聘
equipment device 设备
maintenance repair 维修 维护
"""
MOST_LIKELY = 100
FILLERS = frozenset(
    "of the for on a an and to in by with from at my our file document doc one is it this that are be as".split()
)
# Kinds that mean a file only where the words say so: "by the rules" and 按规定 name none.
VAGUE = frozenset(
    "policy rule regulation plan schedule list result record form reference table figure data summary overview"
    " law act review note"
    " term condition book finding notice minute protocol 规定 规则 办法 方案 计划 记录 数据 表 书 法 信 章 章节"
    " 条款 安排 结果 规划 名单 列表"
    " 日程 总结 规范 政策 目录 课程".split()
)
_token = re.compile("[a-z]+[0-9][a-z0-9]*|[0-9]+[a-z]+[a-z0-9]*|[a-z]+|[0-9]+")
_han = re.compile("[\u3400-\u9fff]+")


def simple(word: str) -> str:
    """A Latin word in the singular; 007 is 7."""
    if word.isdigit():
        return word.lstrip("0") or "0"
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ics")):
        return word[:-1]
    return word


def _groups(text: str, first: int) -> dict[str, frozenset[int]]:
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(text.strip().splitlines(), first):
        for word in line.split():
            groups.setdefault(simple(word) if word.isascii() else word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in groups.items()}


KIND_OF = _groups(_KINDS, 0)
SUBJECT_OF = _groups(_SUBJECTS, 1000)
for _number, _words in enumerate(_EXTENSIONS.values(), 2000):
    for _word in _words.split():
        KIND_OF[_word] = KIND_OF.get(_word, frozenset()) | {_number}
_OF_EXTENSION = {ending: frozenset({number}) for number, ending in enumerate(_EXTENSIONS, 2000)}
_NONE: frozenset[int] = frozenset()
_kind_han = sorted((word for word in KIND_OF if not word.isascii()), key=len, reverse=True)
_subject_han = sorted((word for word in SUBJECT_OF if not word.isascii()), key=len, reverse=True)


class NameWords(NamedTuple):
    """A file's name without its extension in words: Latin ones in their simple form, Han as they stand.

    `kinds`, `subjects`: what these words mean in either language; `pairs`: two Han that stand together.
    """

    latin: frozenset[str]
    han: str
    kinds: frozenset[int]
    subjects: frozenset[int]
    pairs: frozenset[str]

    @property
    def telling(self) -> frozenset[str]:
        """The Latin words that are no year, version or number."""
        return frozenset(
            word for word in self.latin if not word.isdigit() and word not in ("final", "v", "new", "copy")
        )


def latin_words(text: str) -> list[tuple[int, int, str]]:
    """(start, end, simple form) of the Latin words and numbers of folded text; single letters are none."""
    found = (one for one in _token.finditer(text) if len(one[0]) > 1 or one[0].isdigit())
    return [(*one.span(), simple(one[0])) for one in found]


def han_pairs(text: str) -> frozenset[str]:
    return frozenset(a + b for a, b in pairwise(text) if a > "\u33ff" and b > "\u33ff")


def likely_files(text: str, library: Sequence[str]) -> list[tuple[str, NameWords]]:
    """The files whose names share most with a text: no more than MOST_LIKELY."""
    if len(library) <= MOST_LIKELY:
        return [(name, name_words(name)) for name in library]
    latin = frozenset(word for *_, word in latin_words(text)) - FILLERS
    pairs = han_pairs(text)
    said = [*latin, *(word for word in (*_kind_han, *_subject_han) if word in text)]
    kinds = _NONE.union(*(KIND_OF.get(word, _NONE) for word in said))
    subjects = _NONE.union(*(SUBJECT_OF.get(word, _NONE) for word in said))
    shared = [
        (
            4 * len(its.latin & latin)
            + 2 * len(its.pairs & pairs)
            + len(its.kinds & kinds)
            + len(its.subjects & subjects),
            name,
            its,
        )
        for name in library
        if (its := name_words(name))
        and not (
            its.kinds.isdisjoint(kinds)
            and its.latin.isdisjoint(latin)
            and its.pairs.isdisjoint(pairs)
            and its.subjects.isdisjoint(subjects)
        )
    ]
    return [(name, its) for _, name, its in nlargest(MOST_LIKELY, shared, key=lambda one: one[0])]


@lru_cache(maxsize=50_000)
def name_words(name: str) -> NameWords:
    plain = folded(normal(name)).rpartition("/")[2]
    stem, dot, ending = plain.rpartition(".")
    if not dot or not stem:
        stem, ending = plain, ""
    latin = frozenset(word for _, _, word in latin_words(stem) if word not in FILLERS)
    han = " ".join(_han.findall(stem))
    kinds = [KIND_OF.get(word, _NONE) for word in latin if word not in ("word", "excel")]
    subjects = [SUBJECT_OF.get(word, _NONE) for word in latin]
    if han:
        kinds += [
            KIND_OF[word] for word in _kind_han if word in han and (len(word) > 1 or f"{han} ".find(f"{word} ") > 0)
        ]
        subjects += [SUBJECT_OF[word] for word in _subject_han if word in han]
    kinds.append(_OF_EXTENSION.get(ending, _NONE))
    return NameWords(latin, han, _NONE.union(*kinds), _NONE.union(*subjects), han_pairs(stem))
