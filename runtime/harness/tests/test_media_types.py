import unittest

import support  # noqa: F401
from mlcli_harness.serving.media_types import candidates, media_ranges, parse_content_type

JSON = "application/json"
CSV = "text/csv"


class ContentType(unittest.TestCase):
    def test_is_the_type_in_lower_case_and_the_charset(self):
        for header, expected in {
            "": (JSON, None),
            "  ": (JSON, None),
            "text/csv": (CSV, None),
            "Text/CSV": (CSV, None),
            " text/csv ": (CSV, None),
            "text/csv;charset=utf-8": (CSV, "utf-8"),
            'text/csv ; header=absent; CHARSET="UTF-8"': (CSV, "UTF-8"),
            "text/csv; header=present": (CSV, None),
            "text/csv;": (CSV, None),
            "text/csv; charset": (CSV, ""),
            "text/csv; xcharset=a": (CSV, None),
            "application/x-npy": ("application/x-npy", None),
            "nonsense": ("nonsense", None),
            "; charset=ascii": ("", "ascii"),
            # RFC 2231 has other values than strings.
            "text/csv; charset*=utf-8''latin1": (CSV, None),
        }.items():
            with self.subTest(header):
                self.assertEqual(parse_content_type(header), expected)


class Accept(unittest.TestCase):
    def test_has_a_quality_for_each_range(self):
        for header, expected in {
            "": [("*/*", 1.0)],
            " , ,": [("*/*", 1.0)],
            "Text/CSV": [(CSV, 1.0)],
            "text/csv;q=0.5, */*": [(CSV, 0.5), ("*/*", 1.0)],
            "text/csv; header=absent ; Q = 0.25": [(CSV, 0.25)],
            "text/csv;q=2": [(CSV, 1.0)],
            "text/csv;q=-1": [(CSV, 0.0)],
            "text/csv;q=": [(CSV, 1.0)],
            "text/csv;q=high": [(CSV, 1.0)],
            "text/csv;quality=0.1": [(CSV, 1.0)],
        }.items():
            with self.subTest(header):
                self.assertEqual(media_ranges(header), expected)

    def test_gives_the_types_to_try_the_best_first(self):
        for header, expected in {
            "": [JSON, CSV],
            "*/*": [JSON, CSV],
            "application/*": [JSON],
            "text/*": [CSV],
            "image/*": ["image/*"],
            # The named type first, and a wildcard for the rest.
            "*/*, text/csv": [CSV, JSON],
            "*/*, text/*": [CSV, JSON],
            "text/csv;q=0.5, application/json;q=0.6": [JSON, CSV],
            "text/csv;q=0.5, application/json;q=0.5": [CSV, JSON],
            "image/png, text/csv;q=0.1": ["image/png", CSV],
            # A wildcard does not stand for what is named otherwise.
            "text/csv;q=0.1, */*;q=0.9": [JSON, CSV],
            "application/json;q=0, */*": [CSV],
            "application/json;q=0": [],
            "*/*;q=0": [],
            "text/*;q=0.3, */*;q=0.2": [CSV, JSON],
        }.items():
            with self.subTest(header):
                self.assertEqual(candidates(header), expected)
