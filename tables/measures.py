"""Units of measurement by what they measure, so that "an hour" meets a column of minutes and “90平米” one of m²."""

from __future__ import annotations

from collections.abc import Iterable

_NAMES = """
time
  1: s sec second seconds 秒
  0.001: ms millisecond milliseconds 毫秒
  60: min mins minute minutes 分钟 分 h:min 小时:分
  3600: h hr hrs hour hours 小时 个小时 钟头
  86400: d day days 天 日
  604800: week weeks wk 周 星期
  2629800: month months 个月 月
  31557600: year years yr yrs 年
mass
  1: g gram grams 克
  0.001: mg 毫克
  1000: kg kgs kilo kilos kilogram kilograms 公斤 千克
  500: 斤
  1000000: t ton tons tonne tonnes 吨
  453.592: lb lbs pound pounds
  28.3495: oz
length
  1: m metre metres meter meters 米
  0.01: cm 厘米
  0.001: mm 毫米
  1000: km 公里 千米 kilometers kilometres
  1609.344: mi mile miles 英里
  0.3048: ft foot feet
area
  1: m2 m² ㎡ sqm 平方米 平米 平 平方
  0.092903: sqft ft2
  1000000: km2 km² 平方公里 平方千米
  10000: ha 公顷
  666.667: 亩
volume
  1: l litre litres liter liters 升
  0.001: ml 毫升
energy
  1: kwh 千瓦时 度
  1000: mwh
food energy
  1: kcal cal calories calorie 大卡 千卡 卡 卡路里
  0.239: kj 千焦
data
  1: kb
  1000: mb
  1000000: gb
  1000000000: tb
"""


def _units() -> dict[str, tuple[str, float]]:
    found: dict[str, tuple[str, float]] = {}
    measured = ""
    for line in _NAMES.strip().splitlines():
        if not line.startswith(" "):
            measured = line
            continue
        size, _, names = line.strip().partition(":")
        found.update((name, (measured, float(size))) for name in names.split())
    return found


_SAME = {
    "块": "元", "块钱": "元", "美元": "$", "美金": "$", "dollars": "$", "欧元": "€", "euros": "€", "英镑": "£",
    "港币": "港元", "名": "人", "位": "人", "people": "人", "person": "人", "persons": "人", "pcs": "个", "units": "个",
    "unit": "个", "件": "个", "只": "个",
}  # fmt: skip
_UNITS = _units()
_DURATIONS = {name for name, (kind, size) in _UNITS.items() if kind == "time" and size < _UNITS["month"][1]}


_SYMBOLS = {name.lower(): name for name in "°C °F kWh MWh kW MW W V Hz kHz MHz GHz dB Pa kPa kJ KB MB GB TB".split()}


def symbol(unit: str) -> str:
    """A unit as it is written: "°C" for "°c", which it is kept as."""
    return _SYMBOLS.get(unit, unit)


def measured(unit: str) -> str:
    """What a unit measures: "time", "mass"; "" where it is none of these."""
    return _UNITS[unit.lower()][0] if unit.lower() in _UNITS else ""


def is_duration(unit: str) -> bool:
    """Whether it measures how long something takes: years are no such thing, but of age or service."""
    return unit.lower() in _DURATIONS


def factor(unit: str, wanted: str) -> float | None:
    """By what a number in one unit is multiplied to be in another; None where they measure different things."""
    one, other = _UNITS.get(unit.lower()), _UNITS.get(wanted.lower())
    if one is None or other is None or one[0] != other[0]:
        return None
    return one[1] / other[1]


def alike(units: Iterable[str]) -> bool:
    """Whether numbers in these units may be added once they are brought to one of them: hours and minutes may, an
    amount by the month and one that is paid once may not. What has no unit goes with any single one."""
    told = {_SAME.get(unit, unit).lower() for unit in units}
    return len(told - {""}) <= 1 or len({measured(unit) or unit for unit in told}) == 1
