"""What stands in for an app's input_fn and output_fn: application/json, text/csv, and, where numpy is
in the image, application/x-npy and application/x-npz.

No other package beyond the standard library is imported, and numpy only for such a body.
"""

from __future__ import annotations

import csv
import io
import json
import math
import zipfile
from collections.abc import Mapping

from mlcli_harness.serving.media_types import CSV, JSON, NPY, NPZ
from mlcli_harness.serving.plain import columns_of, fields_of, rows_of, to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, IO


# What the arrays of an NPZ body may have unpacked, in bytes: as much as the largest body of
# SageMaker, that of an asynchronous endpoint.
MAX_UNPACKED_BYTES = 1024**3


# How gzip begins: RFC 1952, section 2.3.1. No text does.
GZIP = b"\x1f\x8b\x08"
GZIP_PROBLEM = "The body is compressed with gzip: send it without compression"

# The csv module reads cells of 131,072 characters at most. This limit belongs to the whole process, so it
# is raised once, before the app's code runs, which can set its own. The server limits whole bodies.
csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))


class UnsupportedType(Exception):
    """A media type that is none of these."""


class NoForm(UnsupportedType):
    """The prediction cannot be written as this media type."""


def default_input_fn(request_body: Any, content_type: str) -> Any:
    """JSON as the value that it says; CSV as a list of rows; NPY as an array; NPZ as a dict of
    arrays. Raises ValueError on what is not what it says.

    A cell of a CSV row is a float where it reads as one, NaN where it is empty, else a string.
    """
    if content_type in (NPY, NPZ):
        return parse_numpy(request_body, content_type)
    if content_type not in (JSON, CSV):
        raise UnsupportedType(content_type)
    if not request_body.strip():
        raise ValueError("The body is empty")
    return parse_json(request_body) if content_type == JSON else parse_csv(request_body)


def parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("The body is not valid JSON: %s" % error) from error


def parse_csv(text: str) -> list[list[float | str]]:
    try:
        rows = [row for row in csv_reader(text) if len(row) > 1 or "".join(row).strip()]
    except csv.Error as error:
        raise ValueError("The body is not valid CSV: %s" % csv_problem(error, text)) from error
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise ValueError(
                "The body is not valid CSV: row %d has %d fields, row 1 has %d"
                % (number, len(row), len(rows[0]))
            )
    return [[parse_cell(cell) for cell in row] for row in rows]


def csv_reader(text: str) -> Any:
    return csv.reader(io.StringIO(text, newline=""), strict=True)


def csv_problem(error: csv.Error, text: str) -> str:
    if str(error) != "unexpected end of data":
        return str(error)
    # The field of an open quote continues to the end of the body. Its beginning shows where to fix it.
    reader = csv_reader(text)
    begin = 1
    try:
        for _ in reader:
            begin = reader.line_num + 1
    except csv.Error:
        pass
    return "the row that begins in line %d has an unclosed quote" % begin


def parse_cell(cell: str) -> float | str:
    cell = cell.strip()
    if not cell:
        return math.nan
    try:
        # Python reads `1_000` as a number, but in a table it is text.
        return cell if "_" in cell else float(cell)
    except ValueError:
        return cell


def parse_numpy(body: Any, content_type: str) -> Any:
    numpy = import_numpy(content_type)
    if body[:3] == GZIP:
        raise ValueError(GZIP_PROBLEM)
    load = load_array if content_type == NPY else load_arrays
    try:
        return load(numpy, io.BytesIO(body))
    except Exception as error:
        # Of many kinds, EOFError among them.
        name = "NPY" if content_type == NPY else "NPZ"
        raise ValueError("The body is not valid %s: %s" % (name, error)) from error


def load_array(numpy: Any, file: IO[bytes]) -> Any:
    # Without pickles: to load one is to run it.
    array = numpy.load(file, allow_pickle=False)
    if not isinstance(array, numpy.ndarray):
        raise ValueError("it is an archive of arrays")
    return array


def load_arrays(numpy: Any, file: IO[bytes]) -> Any:
    """The arrays of an archive, by name. What it unpacks to is bounded, before it is unpacked."""
    arrays = {}
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        # zipfile reads no member further than to this size.
        size = sum(member.file_size for member in members)
        if size > MAX_UNPACKED_BYTES:
            raise ValueError("it unpacks to %d bytes, but the limit is %d" % (size, MAX_UNPACKED_BYTES))
        for member in members:
            # The two that numpy writes; zipfile unpacks others without a bound.
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError("%s has a compression that numpy does not use" % member.filename)
            name = member.filename[:-4] if member.filename.endswith(".npy") else member.filename
            with archive.open(member) as array:
                arrays[name] = load_array(numpy, array)
    return arrays


def import_numpy(media_type: str) -> Any:
    """numpy. Raises UnsupportedType where it is not in the image."""
    try:
        import numpy
    except ImportError as error:
        raise UnsupportedType(media_type) from error
    return numpy


def default_output_fn(prediction: Any, accept: str) -> bytes | str:
    """JSON: `{"predictions": [...]}`, or the prediction itself where it is a dict. CSV: a line for
    each item, or for each of the dict's `predictions`. NPY: an array of those. NPZ: the dict's items
    as arrays, or one array `predictions`. Raises TypeError on everything else, and on None."""
    if prediction is None:
        raise TypeError(
            "predict_fn returned None: add a return statement, or define an output_fn that accepts None"
        )
    if accept == NPY:
        return format_npy(prediction)
    if accept == NPZ:
        return format_npz(prediction)
    if accept == JSON:
        return format_json(prediction)
    if accept == CSV:
        return format_csv(prediction)
    raise UnsupportedType(accept)


def format_json(prediction: Any) -> str:
    plain = to_plain(prediction)
    if not isinstance(plain, dict):
        plain = {"predictions": plain if isinstance(plain, list) else [plain]}
    # ensure_ascii is the default: a wrong charset cannot spoil an ASCII body.
    return json.dumps(plain, allow_nan=False)


def format_csv(prediction: Any) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(to_rows(predictions_of(prediction, CSV)))
    return text.getvalue()


def format_npy(prediction: Any) -> bytes:
    numpy = import_numpy(NPY)
    return array_bytes(numpy, predictions_of(prediction, NPY), NPY)


def format_npz(prediction: Any) -> bytes:
    numpy = import_numpy(NPZ)
    members = members_of(prediction)
    items = {"predictions": prediction} if members is None else members
    body = io.BytesIO()
    # Not numpy.savez: older versions pickle what has no other form.
    with zipfile.ZipFile(body, "w") as archive:
        for name, item in items.items():
            archive.writestr(zipfile.ZipInfo("%s.npy" % name), array_bytes(numpy, item, NPZ))
    return body.getvalue()


def array_bytes(numpy: Any, items: Any, media_type: str) -> bytes:
    body = io.BytesIO()
    try:
        array = numpy.asarray(list(items) if hasattr(items, "__next__") else items)
        numpy.save(body, array, allow_pickle=False)
    except ValueError as error:
        raise TypeError("cannot convert the predictions to %s: %s" % (media_type, error)) from error
    return body.getvalue()


def predictions_of(prediction: Any, media_type: str) -> Any:
    """Returns the items to write as a table. Raises NoForm if a dict has no `predictions`."""
    members = members_of(prediction)
    if members is None:
        return prediction
    if "predictions" not in members:
        raise NoForm("cannot convert a dict without `predictions` to %s: define output_fn" % media_type)
    return members["predictions"]


def members_of(prediction: Any) -> Mapping[Any, Any] | None:
    """Returns the members of a dict, another Mapping or an instance of a dataclass; else None."""
    if isinstance(prediction, Mapping):
        return prediction
    return fields_of(prediction) if hasattr(type(prediction), "__dataclass_fields__") else None


def to_rows(items: Any) -> list[Any]:
    """Returns the rows of a table, each a sequence of plain cells."""
    columns = columns_of(items)
    if columns:
        return rows_of(items, columns)
    plain = to_plain(items)
    return [to_row(item) for item in plain] if isinstance(plain, list) else [to_row(plain)]


def to_row(item: Any) -> list[Any]:
    if isinstance(item, dict):
        return list(item.values())
    return item if isinstance(item, list) else [item]
