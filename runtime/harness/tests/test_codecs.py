import array
import datetime
import gzip
import io
import math
import sys
import unittest
import zipfile
from unittest import mock

import support  # noqa: F401
from mlcli_harness.serving import codecs
from mlcli_harness.serving.codecs import (
    NoForm,
    UnsupportedType,
    default_input_fn,
    default_output_fn,
    parse_cell,
)
from mlcli_harness.serving.plain import to_plain

JSON = "application/json"
CSV = "text/csv"
NPY = "application/x-npy"
NPZ = "application/x-npz"


class Scalar(float):
    """As numpy's float64, which is a float, too."""

    def __repr__(self):
        return "Scalar(%s)" % float(self)


class Input(unittest.TestCase):
    def test_reads_json(self):
        for body, value in {
            "[1, 2.5]": [1, 2.5],
            ' {"a": null} \n': {"a": None},
            '"text"': "text",
            "7": 7,
        }.items():
            with self.subTest(body):
                self.assertEqual(default_input_fn(body, JSON), value)

    def test_reads_csv(self):
        for body, rows in {
            "1,2\n3,4": [[1.0, 2.0], [3.0, 4.0]],
            "1\r\n\r\n2\r\n": [[1.0], [2.0]],
            '"a, b",x\n': [["a, b", "x"]],
            '"a ""b""\nc",1': [['a "b"\nc', 1.0]],
            " 1 , a ": [[1.0, "a"]],
            # A row of one empty cell is a blank line; one of two is a row.
            " \n1\n": [[1.0]],
            "1e3,-0.5": [[1000.0, -0.5]],
        }.items():
            with self.subTest(body):
                self.assertEqual(default_input_fn(body, CSV), rows)

    def test_takes_what_is_no_number_for_text_and_nothing_for_nan(self):
        self.assertEqual(parse_cell("1_000"), "1_000")
        self.assertEqual(parse_cell("0x10"), "0x10")
        self.assertEqual(parse_cell("inf"), math.inf)
        self.assertTrue(math.isnan(parse_cell("  ")))
        self.assertTrue(all(math.isnan(cell) for cell in default_input_fn(",", CSV)[0]))

    def test_says_what_is_wrong_with_a_body(self):
        for body, content_type, problem in [
            ("", JSON, "The body is empty"),
            (" \n", CSV, "The body is empty"),
            ('{"a": ', JSON, "The body is not valid JSON: Expecting value"),
            ("[1] 2", JSON, "The body is not valid JSON: Extra data"),
            ("[" * 100_000, JSON, "The body is not valid JSON: "),
            ("1,2\n3", CSV, "The body is not valid CSV: row 2 has 1 fields, row 1 has 2"),
            ("1\n2,3", CSV, "The body is not valid CSV: row 2 has 2 fields, row 1 has 1"),
            # https://github.com/pandas-dev/pandas/issues/22140
            (
                '1,"p"\n"2\n",q\n3,"\n4,s',
                CSV,
                "The body is not valid CSV: the row that begins in line 4 has an unclosed quote",
            ),
            ('"a"b,1', CSV, "The body is not valid CSV: "),
        ]:
            with self.subTest(body[:20]):
                with self.assertRaises(ValueError) as caught:
                    default_input_fn(body, content_type)
                self.assertEqual(str(caught.exception)[: len(problem)], problem)

    def test_reads_cells_of_any_length(self):
        # https://github.com/harelba/q/issues/97
        for length in (131_072, 131_073, 5_000_000):
            with self.subTest(length):
                self.assertEqual(default_input_fn("%s,1" % ("x" * length), CSV), [["x" * length, 1.0]])
                self.assertEqual(default_input_fn('1,"%s"' % ("\n" * length + "x"), CSV), [[1.0, "x"]])

    def test_names_the_row_of_an_open_quote_in_a_large_body(self):
        # https://github.com/wireservice/csvkit/issues/382: "field larger than field limit (131072)".
        # https://github.com/frictionlessdata/frictionless-py/issues/330
        rows = "1,2\n" * 100_000
        with self.assertRaisesRegex(ValueError, "CSV: the row .* line 100001 has an unclosed quote$"):
            default_input_fn(rows + '"3,4\n' + rows, CSV)
        # https://github.com/cldf/csvw/issues/52: another character closes it.
        with self.assertRaisesRegex(ValueError, "CSV: the row .* line 2 has an unclosed quote$"):
            default_input_fn('Row,Content\n1,"text\u201d\n' + rows, CSV)

    def test_reads_no_other_type(self):
        for content_type in (NPY, NPZ, "text/plain", "text/CSV", ""):
            with self.subTest(content_type):
                self.assertRaises(UnsupportedType, default_input_fn, b"1", content_type)


class Array:
    def __init__(self, value):
        self.value = value


class Numpy:
    """Of numpy: what NPY and NPZ need, with a body of text. The real one: tests/e2e/npy_test.ts."""

    ndarray = Array

    def asarray(self, value):
        if value == "ragged":
            raise ValueError("inhomogeneous shape")
        return Array(value)

    def load(self, file, allow_pickle):
        assert allow_pickle is False
        text = file.read().decode()
        if not text:
            raise EOFError("No data left in file")
        return {"archive": 1} if text == "PK" else Array(text)

    def save(self, file, array, allow_pickle):
        assert allow_pickle is False
        if array.value == "object":
            raise ValueError("Object arrays cannot be saved when allow_pickle=False")
        file.write(repr(array.value).encode())


class WithNumpy(unittest.TestCase):
    def setUp(self):
        modules = mock.patch.dict(sys.modules, numpy=Numpy())
        modules.start()
        self.addCleanup(modules.stop)


class Npy(WithNumpy):
    def test_is_read(self):
        self.assertEqual(default_input_fn(b"1 2", NPY).value, "1 2")

    def test_that_is_none_is_said_to_be(self):
        for body, problem in {b"": "No data left in file", b"PK": "it is an archive of arrays"}.items():
            with self.subTest(body), self.assertRaises(ValueError) as caught:
                default_input_fn(body, NPY)
            self.assertEqual(str(caught.exception), "The body is not valid NPY: " + problem)
        with self.assertRaisesRegex(ValueError, "^The body is compressed with gzip: "):
            default_input_fn(gzip.compress(b"1"), NPY)

    def test_is_written(self):
        for prediction, body in [
            ([1, 2.5], b"[1, 2.5]"),
            ({"predictions": [3], "model": "x"}, b"[3]"),
            ((x for x in "ab"), b"['a', 'b']"),
        ]:
            with self.subTest(body):
                self.assertEqual(default_output_fn(prediction, NPY), body)

    def test_says_what_it_cannot_write(self):
        for prediction, problem in [
            ("ragged", "^cannot convert the predictions to application/x-npy: inhomogeneous shape$"),
            ("object", "^cannot convert the predictions to application/x-npy: Object arrays cannot"),
        ]:
            with self.subTest(problem), self.assertRaisesRegex(TypeError, problem):
                default_output_fn(prediction, NPY)
        problem = "^cannot convert a dict without `predictions` to application/x-npy"
        with self.assertRaisesRegex(NoForm, problem):
            default_output_fn({"a": 1}, NPY)


def archive(members, packing=zipfile.ZIP_DEFLATED):
    """A zip archive, as bytes."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", packing) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return body.getvalue()


class Npz(WithNumpy):
    def test_is_read(self):
        for packing in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            arrays = default_input_fn(archive({"a.npy": "1 2", "b": "3"}, packing), NPZ)
            self.assertEqual({name: one.value for name, one in arrays.items()}, {"a": "1 2", "b": "3"})
        self.assertEqual(default_input_fn(archive({}), NPZ), {})

    def test_that_is_none_is_said_to_be(self):
        # As long as before, with another content: its checksum is wrong.
        damaged = archive({"a.npy": "x" * 20}, zipfile.ZIP_STORED).replace(b"x" * 20, b"y" * 20)
        for body, problem in {
            b"": "File is not a zip file",
            b"PK\3\4": "File is not a zip file",
            archive({"a.npy": "1"})[:-1]: "File is not a zip file",
            damaged: "Bad CRC-32 for file 'a.npy'",
            archive({"a.npy": ""}): "No data left in file",
            archive({"a.npy": "PK"}): "it is an archive of arrays",
            archive({"a.npy": "1"}, zipfile.ZIP_LZMA): "a.npy has a compression that numpy does not use",
            archive({"a.npy": "1"}, zipfile.ZIP_BZIP2): "a.npy has a compression that numpy does not use",
        }.items():
            with self.subTest(problem), self.assertRaises(ValueError) as caught:
                default_input_fn(body, NPZ)
            self.assertEqual(str(caught.exception), "The body is not valid NPZ: " + problem)

    def test_that_unpacks_to_too_much_is_not_unpacked(self):
        bomb = archive({"a.npy": "a" * 60_000, "b.npy": "b" * 60_000})
        self.assertLess(len(bomb), 1000)
        with mock.patch.object(codecs, "MAX_UNPACKED_BYTES", 120_000):
            self.assertEqual(len(default_input_fn(bomb, NPZ)), 2)
        with mock.patch.object(codecs, "MAX_UNPACKED_BYTES", 119_999):
            with self.assertRaisesRegex(ValueError, "NPZ: .* 120000 bytes, but the limit is 119999$"):
                default_input_fn(bomb, NPZ)

    def test_that_lies_about_its_size_is_read_no_further(self):
        # 60,000 bytes that are said to be 10, in both places where an archive says so.
        size, lie = (60_000).to_bytes(4, "little"), (10).to_bytes(4, "little")
        bomb = archive({"a.npy": "a" * 60_000}).replace(size, lie)
        with self.assertRaisesRegex(ValueError, "NPZ: Bad CRC-32"):
            default_input_fn(bomb, NPZ)

    def test_is_written(self):
        for prediction, members in [
            ([1, 2.5], {"predictions.npy": b"[1, 2.5]"}),
            ((x for x in "ab"), {"predictions.npy": b"['a', 'b']"}),
            ({"a": [1], "b": [2, 3]}, {"a.npy": b"[1]", "b.npy": b"[2, 3]"}),
            ({}, {}),
        ]:
            with self.subTest(members), zipfile.ZipFile(
                io.BytesIO(default_output_fn(prediction, NPZ))
            ) as file:
                self.assertEqual({name: file.read(name) for name in file.namelist()}, members)

    def test_says_what_it_cannot_write(self):
        with self.assertRaisesRegex(TypeError, "^cannot convert the predictions to .*/x-npz: Object"):
            default_output_fn({"a": "object"}, NPZ)


class Output(unittest.TestCase):
    def test_writes_json(self):
        for prediction, text in [
            ([1, 2.5], '{"predictions": [1, 2.5]}'),
            ((1,), '{"predictions": [1]}'),
            (7, '{"predictions": [7]}'),
            ([None], '{"predictions": [null]}'),
            ({"a": [1]}, '{"a": [1]}'),
            ("\u00e9", '{"predictions": ["\\u00e9"]}'),
            ([math.nan, -math.inf], '{"predictions": [null, null]}'),
            (array.array("d", [1, 2]), '{"predictions": [1.0, 2.0]}'),
            ((x for x in "ab"), '{"predictions": ["a", "b"]}'),
        ]:
            with self.subTest(text):
                self.assertEqual(default_output_fn(prediction, JSON), text)

    def test_writes_csv(self):
        for prediction, text in [
            ([1, 2.5], "1\n2.5\n"),
            ([[1, "a, b"], [None, 'q"']], '1,"a, b"\n,"q"""\n'),
            ({"predictions": [1, 2], "model": "x"}, "1\n2\n"),
            ({"predictions": 3}, "3\n"),
            ([{"a": 1, "b": 2}, {"a": 3, "b": 4}], "1,2\n3,4\n"),
            ("text", "text\n"),
            (array.array("d", [1]), "1.0\n"),
            ([], ""),
        ]:
            with self.subTest(text):
                self.assertEqual(default_output_fn(prediction, CSV), text)

    def test_makes_plain_values(self):
        for value, plain in [
            (True, True),
            ({1: "a", None: 2}, {"1": "a", "None": 2}),
            ({datetime.date(2024, 2, 29): frozenset([1])}, {"2024-02-29": [1]}),
        ]:
            with self.subTest(value):
                self.assertEqual(to_plain(value), plain)
        self.assertEqual(repr(to_plain(Scalar(1.5))), "1.5")

    def test_says_what_it_cannot_write(self):
        with self.assertRaisesRegex(TypeError, "^predict_fn returned object, which output_fn must"):
            default_output_fn([object()], JSON)
        with self.assertRaisesRegex(NoForm, "^cannot convert a dict without `predictions` to text/csv"):
            default_output_fn({"a": 1}, CSV)

    def test_writes_no_other_type(self):
        for accept in (NPY, NPZ, "text/plain", "application/*"):
            with self.subTest(accept):
                self.assertRaises(UnsupportedType, default_output_fn, [1], accept)
