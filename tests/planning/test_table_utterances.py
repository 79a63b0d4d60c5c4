"""Questions over tables of everyday kinds, in both languages: the query that each becomes, and how it is told.

`table_utterances.jsonl`: question, table, SQL (null where it may mean several things), its words in both languages,
the unit of what is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from table_cases import table

from planning.tables import plan_table_query
from schema import TableInfo
from tests.each_row import Rows

TABLES = {
    "flat": (
        "flats.csv",
        """Flat,City,Area (m²),Rent (€),Vacancy %,Tenant,Since,Terminated
F1,Bonn,60,700,2.5,Ada Bell,2021-05-01,
F2,Bonn,120,1400,4,Carl Dorn,2022-06-15,2025-01-31
F3,Ulm,80,800,10,Eva Fink,2020-02-01,
F4,Ulm,45,500,0.5,Gus Hahn,2023-03-01,2024-12-31
""",
    ),
    "run": (
        "race.csv",
        """Runner,Club,Result (min),Age,Distance (km)
Ada,Foxes,42.5,31,10
Bob,Foxes,39.1,45,10
Cyd,Hares,55.0,28,12
Dan,Hares,61.2,52,12
""",
    ),
    "film": (
        "films.csv",
        """Title,Director,Year,Budget,Gross
Dune Sea,Ann Ray,1999,4000000,9000000
Low Tide,Ann Ray,2004,1500000,800000
High Road,Ben Orr,2004,7000000,21000000
Old Mill,Ben Orr,2011,900000,1200000
Red Fox,Cy Lund,2011,3000000,2500000
""",
    ),
    "bill": (
        "账单.csv",
        """账单号,客户,类别,金额（万元）,折扣率,已付,开票日期,付款日期
Z1,海天,水费,1.5,10%,是,2025-01-05,2025-01-20
Z2,海天,电费,3.2,5%,否,2025-02-06,
Z3,东湖,水费,0.8,20%,是,2025-02-08,2025-03-01
Z4,东湖,燃气,2.4,0%,否,2025-03-09,
Z5,长河,电费,6.0,15%,是,2025-03-10,2025-03-12
""",
    ),
    "bill_en": (
        "bills.csv",
        """Bill,Customer,Kind,Amount ($),Discount %,Paid,Issued,Paid on
Z1,Seasky,water,1500,10,yes,2025-01-05,2025-01-20
Z2,Seasky,power,3200,5,no,2025-02-06,
Z3,Eastlake,water,800,20,yes,2025-02-08,2025-03-01
Z4,Eastlake,gas,2400,0,no,2025-03-09,
Z5,Longriver,power,6000,15,yes,2025-03-10,2025-03-12
""",
    ),
    "temp": (
        "weather.csv",
        """Day,Station,Max temp (°C),Min temp (°C),Rain (mm),Wind (km/h)
2025-06-01,Hill,24,12,0,10
2025-06-02,Hill,26,14,3,22
2025-06-03,Port,21,15,12,35
2025-06-04,Port,19,-1,8,41
""",
    ),
    "staff": (
        "员工.csv",
        """工号,姓名,部门,年龄,身高（厘米）,月薪（元）,入职日期,其中奖金（元）
1,王磊,销售部,31,175,9000,2019-03-01,500
2,陈晨,销售部,45,162,12000,2015-07-10,900
3,李明,技术部,28,180,15000,2021-09-01,0
4,赵云,技术部,39,178,20000,2012-01-15,2500
""",
    ),
    "visit": (
        "visits.csv",
        """Day,Guide,School groups,Visitors,Tickets sold
2025-05-01,Ada,3,120,100
2025-05-02,Bob,1,60,55
2025-05-03,Ada,0,200,190
""",
    ),
}
ASKED = [
    json.loads(line) for line in Path(__file__).with_name("table_utterances.jsonl").read_text("utf-8").splitlines()
]


def told(question: str, held: TableInfo) -> dict[str, Any]:
    query = plan_table_query(question, [held])
    if query is None:
        return {"sql": None}
    sql = query.sql.replace(f'"{held.document}"', "t")
    return {"sql": sql, "zh": query.words.zh, "en": query.words.en} | ({"unit": query.unit} if query.unit else {})


def test_what_is_asked_of_a_table_is_computed_and_told_in_both_languages() -> None:
    held = {name: table(file, content, at) for at, (name, (file, content)) in enumerate(TABLES.items(), 1)}
    rows = Rows()
    for one in ASKED:
        wanted = {key: value for key, value in one.items() if key not in ("table", "question")}
        with rows.row(one["question"]):
            assert told(one["question"], held[one["table"]]) == wanted
    rows.end()
