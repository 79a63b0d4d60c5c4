"""Questions over tables of everyday kinds, in both languages: the query that each becomes, and how it is told.

`table_utterances.jsonl`: question, table, SQL (null where it may mean several things), its words in both languages,
the unit of what is asked for."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest
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
    "orders_zh": (
        "销售订单.csv",
        """订单号,客户,产品,数量,单价（元）,金额（元）,下单日期,发货日期,是否退货
D1,华光,台灯,4,100,400,2024-01-15,2024-01-20,否
D2,远山,书桌,1,900,900,2024-02-10,2024-02-28,否
D3,华光,书桌,2,900,1800,2024-05-05,,否
D4,宏达,台灯,10,100,1000,2025-01-31,2025-02-02,是
D5,远山,挂钟,3,80,240,2025-02-01,2025-02-11,否
D6,华光,挂钟,1,80,80,2025-03-09,2025-03-10,是
""",
    ),
    "flights": (
        "flights.csv",
        """Flight,From,To,Airline,Departure,Duration (h),Seats,Fare (€)
F10,Rome,Oslo,Norair,2025-04-01,3.5,120,210
F11,Oslo,Rome,Norair,2025-04-02,3.5,120,190
F12,Rome,Paris,Gallia,2025-04-03,2,90,150
F13,Paris,Oslo,Gallia,2025-05-04,2.5,90,175
F14,Oslo,Paris,Norair,2025-05-09,2.5,150,165
""",
    ),
    "orders": (
        "orders.csv",
        """Order No,Customer,Product,Quantity,Unit price ($),Total ($),Order date,Delivered on,Returned
R-1,Aster Ltd,Red lamp,4,10,40,2024-01-15,2024-01-20,no
R-2,Birch & Co,Oak desk,1,200,200,2024-02-10,2024-02-28,no
R-3,Aster Ltd,Oak desk,2,200,400,2024-05-05,,no
R-4,Cedar Inc,Red lamp,10,10,100,2025-01-31,2025-02-02,yes
R-5,Birch & Co,Wall clock,3,30,90,2025-02-01,2025-02-11,no
R-6,Aster Ltd,Wall clock,1,30,30,2025-03-09,2025-03-10,yes
""",
    ),
    "gifts": (
        "donations.csv",
        """Date,Donor,Gift ($),Campaign,Visits last month
2025-01-02,Ada Bell,50,Roof,2
2025-02-03,Carl Dorn,120,Roof,0
2025-02-14,Ada Bell,30,Garden,1
""",
    ),
    "offers": (
        "offers.csv",
        """Offer,Shop,Discount %,Price ($),Valid until
O1,North,12.5%,20,2025-03-01
O2,South,5%,35,2025-04-15
O3,North,20%,10,2025-12-31
""",
    ),
    "cities": (
        "climate.csv",
        """City,Country,Population,Area (km²),Max temp (°C),Min temp (°C),Rain (mm),Founded
Arden,Norland,120000,45,31,-12,800,1250
Boria,Norland,80000,120,28,-20,650,1720
Calda,Sudia,2400000,610,41,4,300,1540
Dorme,Sudia,310000,95,38,7,420,1896
""",
    ),
    "season": (
        "season.csv",
        """Date,Home team,Away team,Home goals,Away goals,Attendance
2024-08-03,Rovers,City,3,1,11745
2024-08-07,City,United,1,1,27537
2024-08-11,United,Rovers,0,2,4459
2024-08-15,City,Rovers,2,0,5012
2024-09-01,Rovers,United,4,4,9000
""",
    ),
    "marks": (
        "成绩表.csv",
        """学号,姓名,班级,性别,语文,数学,英语,出生日期
1001,陈晨,一班,女,92,88,95,2010-03-05
1002,林涛,一班,男,64,58,70,2010-11-20
1003,赵敏,二班,女,85,97,81,2009-12-31
1004,孙浩,二班,男,73,59,66,2010-06-01
1005,周洁,三班,女,55,76,88,2010-08-15
""",
    ),
    "invoices": (
        "rechnungen.csv",
        """Invoice,Client,Amount,Currency,Issued,Due,Paid on,Status
V-1,Acme,1200,USD,2025-01-05,2025-02-05,2025-01-30,paid
V-2,Acme,800,EUR,2025-02-10,2025-03-10,,open
V-3,Bolt,500,USD,2025-02-20,2025-03-20,,overdue
V-4,Cole,2300,USD,2025-03-01,2025-04-01,2025-03-15,paid
""",
    ),
    "visits_paid": (
        "practice.csv",
        """Date,Patient,Doctor,Reason,Minutes,Fee ($)
2025-01-07,Ida Moss,Dr Kern,checkup,20,80
2025-01-07,Jon Pike,Dr Kern,flu,15,60
2025-02-11,Ida Moss,Dr Vale,flu,10,60
2025-02-12,Kay Lunn,Dr Vale,checkup,30,95
2025-03-03,Ida Moss,Dr Kern,flu,25,70
""",
    ),
    "rent": (
        "rentals.csv",
        """Item,Customer,Started,Ended,Days,Total (€),Deposit (€),Condition
Drill,Ada Bell,2024-03-01,2024-03-04,3,45,50,good
Saw,Carl Dorn,2024-03-10,2024-03-11,1,20,40,worn
Drill,Carl Dorn,2024-06-02,2024-06-09,7,95,50,good
Tent,Eva Fink,2025-07-01,2025-07-15,14,180,120,
""",
    ),
    "crew": (
        "staff.csv",
        """Name,Department,City,Gender,Age,Salary ($),Hired,Left,Remote
Ann Lee,Sales,Bonn,F,31,4200,2019-03-01,,yes
Ben Ode,Sales,Ulm,M,45,5100,2012-07-15,2024-06-30,no
Cleo Fox,IT,Bonn,F,28,6100,2021-09-01,,yes
Dan Roe,IT,Ulm,M,39,6100,2021-11-20,,no
Eve Hart,HR,Bonn,F,52,4800,2008-01-10,2025-01-31,no
""",
    ),
    "way": (
        "trips.csv",
        """Day,Driver,Destination,Distance (km),Cost ($),Planned cost ($)
2025-01-02,Ann,Ulm,40,30,20
2025-01-03,Bob,Bonn,90,60,70
2025-02-03,Ann,Ulm,40,35,20
""",
    ),
    "book_zh": (
        "图书.csv",
        """书名,作者,出版社,出版年份,页数,馆藏（本）
活着,余华,作家出版社,2012,200,3
三体,刘慈欣,重庆出版社,2008,310,0
围城,钱锺书,人民文学出版社,1991,380,2
许三观卖血记,余华,作家出版社,2012,260,1
""",
    ),
    "receipts": (
        "receipts.csv",
        """Date,Shop,Total (€)
2025-01-02,North,50
2025-02-03,South,120
""",
    ),
}
ASKED = [
    json.loads(line) for line in Path(__file__).with_name("table_utterances.jsonl").read_text("utf-8").splitlines()
]


@functools.cache
def held(name: str) -> TableInfo:
    return table(*TABLES[name])


def told(question: str, asked: TableInfo) -> dict[str, Any]:
    query = plan_table_query(question, [asked])
    if query is None:
        return {"sql": None}
    sql = query.sql.replace(f'"{asked.document}"', "t")
    return {"sql": sql, "zh": query.words.zh, "en": query.words.en} | ({"unit": query.unit} if query.unit else {})


@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_is_asked_of_a_table_is_computed_and_told_in_both_languages(language: str) -> None:
    rows = Rows()
    for one in ASKED:
        if one["question"].isascii() == (language == "zh"):
            continue
        wanted = {key: value for key, value in one.items() if key not in ("table", "question")}
        with rows.row(one["question"]):
            assert told(one["question"], held(one["table"])) == wanted
    rows.end()
