"""Tables as a library holds them, and the SQL that a question over them becomes."""

from __future__ import annotations

from collections.abc import Sequence

from ingestion.readers import read_document
from planning.tables import plan_table_query
from schema import TableInfo

SEASON = """Date,Home team,Away team,Home goals,Away goals,Attendance
2024-08-03,Rovers,City,3,1,11745
2024-08-07,City,United,1,1,27537
2024-08-11,United,Rovers,0,2,4459
2024-08-15,City,Rovers,2,0,5012
"""
LEAGUE = """轮次,主队,客队,主队进球,客队进球,观众
第1轮,青山,海鹰,3,1,11745
第1轮,海鹰,金龙,1,1,27537
第2轮,金龙,青山,0,2,4459
"""


def table(name: str, content: str, number: int = 1) -> TableInfo:
    [typed] = read_document(name, content.encode(), max_bytes=10**6).tables or ()
    return TableInfo(number, name, "", 0, typed.title, typed.columns, len(typed.spans), typed.left_out)


def sql_of(question: str, held: Sequence[TableInfo]) -> str | None:
    """With `t` in place of the table's name; None where the question is not planned."""
    query = plan_table_query(question, held)
    if query is None:
        return None
    sql = query.sql
    for one in held:
        sql = sql.replace(f'"{one.document}"', "t")
    return sql


PAY = """姓名,部门,城市,入职日期,月薪（元）,是否转正
张三,研发部,北京,2021年3月5日,12000,是
李四,市场部,上海,2020/1/9,9000,否
王五,研发部,上海,2019-07-01,15000,是
"""
ORDERS = """Order ID,Order Date,Client,Product,Quantity,Amount,Status
A-1,2024-05-03,Acme Corp,Lamp,2,$510.00,Paid
A-2,2024-05-09,Blue Ltd,Desk,1,$90.50,Open
A-3,2024-06-01,Acme Corp,Desk,4,$362.00,Cancelled
"""
STAFF, SALES = table("员工.csv", PAY), table("orders.csv", ORDERS, 2)
