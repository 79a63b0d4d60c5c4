"""Hits that sentences are chosen from."""

from schema import Hit

HANDBOOK = """## 新生儿的检查项目

出生后72小时内完成以下检查：

- 听力筛查
- 先天性心脏病筛查
- 足跟血筛查，需在喂奶后进行

检查费用由医保支付。产科病房位于三号楼。
"""
GUIDE = """## Install

To install the tool, run:

```bash
pip install example[1]
```

1. Create an account.
2. Open **Settings** and choose [Keys](https://example.org/keys).
3. Copy the key[12] into `.env`.

| Plan | Price | Seats |
|------|-------|-------|
| Free | $0 | 1 |
| Team | $12 | 10 |

Refunds are not possible after 30 days. The support desk answers on weekdays.
"""


def hit(number, text, *headings, score=1.0):
    lines = text.count("\n")
    return Hit(number, "doc.md", "", text, 0, len(text), 1, lines + 1, headings=headings, score=score)


HITS = [hit(1, HANDBOOK, "员工手册", "新生儿的检查项目"), hit(2, GUIDE, "Install", score=0.9)]
NESTED = """1. **Lab tests**
- Count the white cells.
- Test the stool.

2. **Fluids**
- Give oral salts first.
- Watch the urine.
"""
