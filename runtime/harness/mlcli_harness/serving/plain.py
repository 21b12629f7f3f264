"""Converts predictions into the values that JSON has: None, bool, int, float, str, list and dict.

This module imports only the standard library. It recognises the types of other packages by their
names and methods.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator, Mapping, Sequence, Set, ValuesView
from datetime import date, time, timedelta
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, List, Tuple

    # The names of a table's columns, and the columns.
    Columns = Tuple[List[Any], List[Any]]

# Types that JSON writes as they are. A float might be NaN.
PLAIN = frozenset([type(None), bool, int, str])

# Methods that return a plainer value, in this order: of numpy, pandas and torch; of a table of polars;
# of pyarrow; of a series of polars; of TensorFlow; of everything that numpy reads. `tolist` comes before
# `numpy`, which fails for a tensor of torch with a gradient, on a GPU or in bfloat16.
CONVERSIONS = ("tolist", "to_dicts", "to_pylist", "to_list", "numpy", "__array__")

# Units of numpy in 10**-18 seconds, its smallest one. Months and years have no fixed length.
ATTOSECONDS = {
    "W": 604800 * 10**18,
    "D": 86400 * 10**18,
    "h": 3600 * 10**18,
    "m": 60 * 10**18,
    "s": 10**18,
    "ms": 10**15,
    "us": 10**12,
    "ns": 10**9,
    "ps": 10**6,
    "fs": 10**3,
    "as": 1,
}


def to_plain(value: Any) -> Any:
    """Returns the value as JSON has it. A missing value, NaN or an infinity becomes None."""
    kind: Any = type(value)
    if kind is float:
        return value if math.isfinite(value) else None
    if kind in PLAIN:
        return value
    if kind is list or kind is tuple:
        return [to_plain(item) for item in value]
    if kind is dict:
        return plain_object(value)
    return converter(kind)(value)


def plain_object(value: Mapping[Any, Any]) -> dict[str, Any]:
    # str is the most frequent type of a key.
    plain = {
        key if type(key) is str else key_text(key): to_plain(item) for key, item in value.items()
    }
    if len(plain) != len(value):
        raise TypeError(
            "predict_fn returned a dict with keys that are equal in JSON: %s" % repeated(value)
        )
    return plain


def key_text(key: Any) -> str:
    return str(to_plain(key))


def repeated(names: Iterable[Any]) -> str:
    """Lists the names that are equal as text."""
    by_text: dict[str, list[Any]] = {}
    for name in names:
        by_text.setdefault(key_text(name), []).append(name)
    return ", ".join(repr(name) for group in by_text.values() if len(group) > 1 for name in group)


def columns_of(value: Any) -> Columns | None:
    """Returns the columns of a table of pandas or pyarrow, or None for another value. Columns keep
    their types and can have equal names; the rows that these packages make do neither."""
    kind = type(value)
    if hasattr(kind, "iterrows") and hasattr(kind, "iloc"):
        names = list(value.columns)
        return names, [value.iloc[:, index] for index in range(len(names))]
    if hasattr(kind, "to_pylist") and hasattr(kind, "schema"):
        return list(value.schema.names), list(value.columns)
    return None


def rows_of(value: Any, columns: Columns) -> list[tuple[Any, ...]]:
    """Returns the rows of the table, each a tuple of plain cells."""
    _, cells = columns
    return list(zip(*map(to_plain, cells))) if cells else [()] * len(value)


def plain_table(value: Any, columns: Columns) -> list[dict[str, Any]]:
    names = [key_text(name) for name in columns[0]]
    if len(set(names)) != len(names):
        raise TypeError(
            "predict_fn returned a table with column names that are equal in JSON: %s"
            % repeated(columns[0])
        )
    return [dict(zip(names, row)) for row in rows_of(value, columns)]


@lru_cache(maxsize=1024)
def converter(kind: type) -> Callable[[Any], Any]:
    """Returns the function that converts values of the type. The order of the checks matters: a NaT of
    pandas is a datetime, a timedelta64 of numpy an integer, and an Enum can be an int or a str."""
    named = names_of(kind)
    if "enum.Enum" in named:
        return lambda value: to_plain(value.value)
    if named & {"pandas.NAType", "pandas.NaTType"}:
        return lambda value: None
    if issubclass(kind, (int, str)):
        return lambda value: value
    if named & {"pandas.Period", "pandas.Interval", "uuid.UUID", "collections.UserString"}:
        return str
    if "numpy.datetime64" in named:
        return time_text
    if "numpy.timedelta64" in named:
        return numpy_duration_text
    if issubclass(kind, timedelta):
        return duration_text
    if issubclass(kind, (date, time)):
        return lambda value: value.isoformat()
    if "decimal.Decimal" in named:
        return plain_decimal
    if issubclass(kind, numbers.Integral):
        return int
    if issubclass(kind, float):
        return lambda value: float(value) if math.isfinite(value) else None
    if issubclass(kind, numbers.Real):
        # False for NaN.
        return lambda value: rounded(value) if abs(value) < math.inf else None
    if issubclass(kind, (bytes, bytearray, numbers.Number)):
        return refuse
    if issubclass(kind, Mapping):
        return plain_object
    if hasattr(kind, "__dataclass_fields__"):
        return lambda value: plain_object(fields_of(value))
    if named & {"numpy.ndarray", "numpy.void"}:
        return plain_array
    return convert


def names_of(kind: type) -> set[str]:
    """Returns the names of the type and its bases, each behind its package: pandas.Interval."""
    return {"%s.%s" % (one.__module__.partition(".")[0], one.__name__) for one in kind.__mro__}


def convert(value: Any) -> Any:
    """Converts a table, or by the first method that returns a value of another type."""
    columns = columns_of(value)
    if columns:
        return plain_table(value, columns)
    for name in CONVERSIONS:
        method = getattr(value, name, None)
        if callable(method):
            plainer = method()
            if type(plainer) is not type(value):
                return to_plain(plainer)
    if isinstance(value, (Sequence, Set, ValuesView, Iterator)):
        return [to_plain(item) for item in value]
    return refuse(value)


def refuse(value: Any) -> Any:
    raise TypeError("predict_fn returned %s, which output_fn must convert to text" % type(value).__name__)


def fields_of(value: Any) -> dict[str, Any]:
    """Returns the fields of an instance of a dataclass."""
    # The module is loaded already, because the app's code uses it.
    from dataclasses import fields

    return {field.name: getattr(value, field.name) for field in fields(value)}


def plain_decimal(value: Any) -> int | float | None:
    if not value.is_finite():
        return None
    return int(value) if value.as_tuple().exponent == 0 else rounded(value)


def rounded(value: Any) -> float:
    """Converts a finite number. Rounding is no loss, but an infinity would be."""
    number = float(value)
    if math.isinf(number):
        raise TypeError("predict_fn returned %s, which is too large for a JSON number" % value)
    return number


def plain_array(value: Any) -> Any:
    """Converts an array or a record of numpy. `tolist` would make integers of its times."""
    if value.dtype.names and not getattr(value, "ndim", 0):
        return [to_plain(value[name]) for name in value.dtype.names]
    if value.dtype.kind in "mMV" and value.ndim:
        return [to_plain(item) for item in value]
    return to_plain(value[()] if value.dtype.kind in "mM" else value.tolist())


def time_text(value: Any) -> str | None:
    """Returns a datetime64 of numpy as text: as a date if its unit is a day or longer, else as Python
    and pandas write it, with 0, 6, 9 or more digits for the fraction of a second."""
    if value != value:
        return None
    unit = unit_of(value)[0]
    if unit in ("Y", "M", "W", "D"):
        return str(value.astype("datetime64[D]"))
    text = str(value.astype("datetime64[s]") if unit in ("h", "m") else value)
    text, _, fraction = text.partition(".")
    fraction = fraction.rstrip("0")
    if not fraction:
        return text
    digits = max(6, math.ceil(len(fraction) / 3) * 3)
    return "%s.%s" % (text, fraction.ljust(digits, "0"))


def unit_of(value: Any) -> tuple[str, int]:
    """Returns the unit of a time of numpy, and how many of it the time counts: ("m", 15)."""
    import numpy

    unit, count = numpy.datetime_data(value.dtype)
    return unit, count


def numpy_duration_text(value: Any) -> str | None:
    if value != value:
        return None
    unit, count = unit_of(value)
    if unit not in ATTOSECONDS:
        raise TypeError(
            "predict_fn returned a timedelta64 in the unit %s, which has no fixed length" % unit
        )
    return attoseconds_text(int(value.astype("int64")) * count * ATTOSECONDS[unit])


def duration_text(value: Any) -> str:
    # A Timedelta of pandas counts its nanoseconds apart.
    nanoseconds = (value.days * 86400 + value.seconds) * 10**9 + value.microseconds * 1000
    return attoseconds_text((nanoseconds + getattr(value, "nanoseconds", 0)) * 10**9)


def attoseconds_text(attoseconds: int) -> str:
    """Returns a duration as ISO 8601 has it, without the parts that are zero: P1DT2H3M4.5S, PT0S. A
    negative one begins with a minus, as in ISO 8601-2: -P1D."""
    seconds, fraction = divmod(abs(attoseconds), 10**18)
    days, seconds = divmod(seconds, 86400)
    hours, seconds = divmod(seconds, 3600)
    minutes, seconds = divmod(seconds, 60)
    exact = ("%d.%018d" % (seconds, fraction)).rstrip("0").rstrip(".")
    parts = [(str(hours), "H"), (str(minutes), "M"), (exact, "S")]
    clock = "".join(number + unit for number, unit in parts if number != "0")
    text = ("%dD" % days if days else "") + ("T" + clock if clock else "")
    return ("-P" if attoseconds < 0 else "P") + (text or "T0S")
