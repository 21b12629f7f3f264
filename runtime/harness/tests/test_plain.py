import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import json
import math
import types
import unittest
import uuid

import support  # noqa: F401
from mlcli_harness.serving.codecs import default_output_fn
from mlcli_harness.serving.plain import to_plain

JSON = "application/json"
CSV = "text/csv"


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 2


class Name(str, enum.Enum):
    FIRST = "first"


@dataclasses.dataclass
class Box:
    label: str
    corner: object = None


class Column:
    """A series: of pandas by `tolist`."""

    def __init__(self, *items):
        self.items = list(items)

    def tolist(self):
        return self.items


class Frame:
    """A DataFrame of pandas, with the few names of it that make a table."""

    def __init__(self, columns, *rows):
        self.columns = columns
        self.rows = rows

    @property
    def iloc(self):
        return self

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, place):
        _, index = place
        return Column(*(row[index] for row in self.rows))

    def iterrows(self):
        raise AssertionError("gives the cells of a row one type")


class ArrowTable:
    """A table of pyarrow 26, whose `to_pylist` drops all but one of the columns with equal names."""

    schema = types.SimpleNamespace(names=["a", "a"])
    columns = [Column(1), Column("x")]

    def to_pylist(self):
        raise AssertionError("drops a column")


class Tensor:
    """An eager tensor of TensorFlow, which has no `tolist`."""

    def numpy(self):
        return Column(1.5, 2)


class GradientTensor(Tensor):
    """A tensor of torch that requires a gradient."""

    def tolist(self):
        return [1.5]

    def numpy(self):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


class PolarsFrame:
    def to_dicts(self):
        return [{"a": 1, "b": None}]


class PolarsSeries:
    def to_list(self):
        return [1, None]


class Itself:
    """As longdouble of numpy: `tolist` returns a value of the same type."""

    def tolist(self):
        return Itself()

    def __array__(self):
        return Column(3)


class Void:
    """A scalar of numpy without fields, which holds bytes."""

    __module__ = "numpy"
    dtype = types.SimpleNamespace(names=None, kind="V")
    ndim = 0

    def __getitem__(self, key):
        return self

    def tolist(self):
        return b"ab"


Void.__name__ = "void"


class NoMethod:
    tolist = [1]

    def __array__(self):
        return Column(2)


class Plain(unittest.TestCase):
    def test_missing_values_are_none(self):
        for value in [None, math.nan, math.inf, -math.inf, *map(decimal.Decimal, ("NaN", "-Infinity"))]:
            with self.subTest(value):
                self.assertIsNone(to_plain(value))
        # https://github.com/fastapi/fastapi/pull/15783: float() of a signaling NaN raises.
        self.assertIsNone(to_plain(decimal.Decimal("sNaN")))

    def test_numbers_stay_numbers(self):
        for value, plain in [
            # https://github.com/fastapi/fastapi/pull/12935: a Decimal's exponent is not always an int.
            (decimal.Decimal("1.5"), 1.5),
            (decimal.Decimal("12345678901234567890"), 12345678901234567890),
            (fractions.Fraction(1, 2), 0.5),
            (Level.HIGH, 2),
        ]:
            with self.subTest(value):
                self.assertEqual(repr(to_plain(value)), repr(plain))

    def test_numbers_that_no_float_can_hold_are_errors(self):
        for value in (decimal.Decimal("1E+999999"), decimal.Decimal("-1E+400")):
            with self.subTest(value), self.assertRaisesRegex(TypeError, "too large for a JSON number"):
                to_plain(value)

    def test_complex_numbers_and_bytes_are_errors(self):
        for value in (1j, b"x", bytearray(b"x"), [b"x"], Void()):
            with self.subTest(value):
                self.assertRaisesRegex(TypeError, "^predict_fn returned (complex|byte)", to_plain, value)

    def test_times_are_iso_text(self):
        east = datetime.timezone(datetime.timedelta(hours=2))
        for value, text in [
            (datetime.date(2024, 2, 29), "2024-02-29"),
            (datetime.time(1, 2), "01:02:00"),
            (datetime.datetime(2024, 2, 29, 12, microsecond=5), "2024-02-29T12:00:00.000005"),
            (datetime.datetime(2024, 2, 29, tzinfo=east), "2024-02-29T00:00:00+02:00"),
        ]:
            with self.subTest(text):
                self.assertEqual(to_plain(value), text)

    def test_durations_are_iso_text(self):
        # https://github.com/ijl/orjson/issues/234 asks for ISO 8601.
        for seconds, text in [
            (93784.5, "P1DT2H3M4.5S"),
            (0, "PT0S"),
            (86400, "P1D"),
            (60, "PT1M"),
            (0.000001, "PT0.000001S"),
            # str() of it is "-1 day, 23:59:59".
            (-1, "-PT1S"),
            (-93784.5, "-P1DT2H3M4.5S"),
        ]:
            with self.subTest(text):
                self.assertEqual(to_plain(datetime.timedelta(seconds=seconds)), text)

    def test_text_and_enums(self):
        for value, plain in [
            (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
            (collections.UserString("ab"), "ab"),
            (Colour.RED, "red"),
            (Name.FIRST, "first"),
            ({Colour.RED: Level.HIGH}, {"red": 2}),
        ]:
            with self.subTest(value):
                self.assertEqual(json.dumps(to_plain(value)), json.dumps(plain))
        self.assertEqual(default_output_fn([Name.FIRST, Level.HIGH], CSV), "first\n2\n")

    def test_mappings_and_dataclasses_are_objects(self):
        for value, plain in [
            (types.MappingProxyType({"a": 1}), {"a": 1}),
            (collections.ChainMap({"a": 1}, {"a": 2}), {"a": 1}),
            (Box("cat", Box("dog")), {"label": "cat", "corner": {"label": "dog", "corner": None}}),
        ]:
            with self.subTest(value):
                self.assertEqual(to_plain(value), plain)
                self.assertEqual(json.loads(default_output_fn(value, JSON)), plain)
        self.assertEqual(default_output_fn(types.MappingProxyType({"predictions": [1, 2]}), CSV), "1\n2\n")
        self.assertEqual(default_output_fn([Box("cat"), Box("dog", 1)], CSV), "cat,\ndog,1\n")
        self.assertEqual(default_output_fn({"predictions": Box("cat", 1)}, CSV), "cat,1\n")
        # A class is not an instance of it.
        self.assertRaises(TypeError, to_plain, Box)

    def test_sequences_are_lists(self):
        point = collections.namedtuple("point", "x y")
        for value, plain in [
            (range(2), [0, 1]),
            (collections.deque([1]), [1]),
            (point(1, 2), [1, 2]),
            ({"a": 1}.keys(), ["a"]),
            ({"a": 1}.values(), [1]),
            (memoryview(b"ab"), [97, 98]),
        ]:
            with self.subTest(value):
                self.assertEqual(to_plain(value), plain)

    def test_keys_that_become_equal_are_an_error(self):
        # https://github.com/simplejson/simplejson/issues/77, https://github.com/python/cpython/issues/84334
        for value, keys in [
            ({1: "a", "1": "b", "c": 3}, "1, '1'"),
            ([{"x": {None: 1, "None": 2}}], "None, 'None'"),
        ]:
            with self.subTest(keys), self.assertRaisesRegex(TypeError, "are equal in JSON: %s$" % keys):
                default_output_fn(value, JSON)

    def test_tables_are_written_row_by_row(self):
        frame = Frame(["a", "b"], [1, 0.5], [2, math.nan])
        self.assertEqual(to_plain(frame), [{"a": 1, "b": 0.5}, {"a": 2, "b": None}])
        self.assertEqual(default_output_fn(frame, CSV), "1,0.5\n2,\n")
        self.assertEqual(to_plain(Frame([], [], [])), [{}, {}])

    def test_equal_names_of_columns_are_an_error_only_in_json(self):
        for table, names in [
            (Frame(["a", "b", "a"], [1, 2, "x"]), "'a', 'a'"),
            (Frame([1, "1"], [1, "x"]), "1, '1'"),
            # https://github.com/apache/spark/pull/39461
            (ArrowTable(), "'a', 'a'"),
        ]:
            with self.subTest(names), self.assertRaisesRegex(TypeError, "are equal in JSON: %s$" % names):
                default_output_fn(table, JSON)
            self.assertRegex(default_output_fn({"predictions": table}, CSV), "^1,(2,)?x\n$")

    def test_other_values_convert_themselves(self):
        for value, plain in [
            (Tensor(), [1.5, 2]),
            (GradientTensor(), [1.5]),
            (PolarsFrame(), [{"a": 1, "b": None}]),
            (PolarsSeries(), [1, None]),
            (Itself(), [3]),
            (NoMethod(), [2]),
            ([Tensor()], [[1.5, 2]]),
        ]:
            with self.subTest(type(value).__name__):
                self.assertEqual(to_plain(value), plain)
        self.assertEqual(default_output_fn(PolarsFrame(), CSV), "1,\n")
        self.assertRaisesRegex(TypeError, "^predict_fn returned object, which", to_plain, object())
