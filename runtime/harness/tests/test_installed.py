import contextlib
import io
import tempfile
import unittest
from importlib import metadata
from unittest import mock

import support  # noqa: F401
import installed

VERSIONS = {
    "numpy": "1.24.0",
    "scikit-learn": "1.3.2",
    "torch": "2.1.0+cpu",
    "pandas": "2.0.0rc1",
    "old": "0.9.post1",
    "zero": "0",
}


def version(name):
    if name not in VERSIONS:
        raise metadata.PackageNotFoundError(name)
    return VERSIONS[name]


class Installed(unittest.TestCase):
    def setUp(self):
        patch = mock.patch.object(metadata, "version", version)
        patch.start()
        self.addCleanup(patch.stop)

    def check(self, text):
        """What the program says of requirements: its status, and the lines."""
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            with contextlib.redirect_stderr(io.StringIO()) as said:
                status = installed.main(file.name)
        return status, said.getvalue()

    def test_takes_what_is_met(self):
        for requirement in [
            "numpy",
            "numpy==1.24",
            "numpy==1.24.0",
            "numpy==1.24.0.0",
            "numpy == 1.24",
            "numpy>=1.24",
            "numpy>=1.9",
            "numpy>1.23.9",
            "numpy<=1.24",
            "numpy<1.24.1",
            "numpy<1.100",
            "numpy!=1.25",
            "numpy>=1.20,<2",
            "numpy >= 1.20 , < 2 , != 1.23",
            "scikit-learn==1.3.2",
            "torch==2.1",
            "torch>=2.1,<3",
            "old>=0.9",
            "zero==0.0",
            "zero<0.0.1",
        ]:
            with self.subTest(requirement):
                self.assertIsNone(installed.problem(requirement))

    def test_says_what_another_version_is(self):
        for requirement in [
            "numpy==1.24.1",
            "numpy==1.2",
            "numpy==1.240",
            "numpy!=1.24",
            "numpy!=1.24.0.0",
            "numpy>1.24",
            "numpy<1.24",
            "numpy>=1.24.1",
            "numpy<=1.23.9",
            "numpy<1.100,>1.24",
            "numpy>=1.20,!=1.24,<2",
        ]:
            with self.subTest(requirement):
                self.assertEqual(installed.problem(requirement), "is installed as 1.24.0")

    def test_says_what_is_missing(self):
        self.assertEqual(installed.problem("scipy>=1"), "is not installed")
        self.assertEqual(installed.problem("num-py"), "is not installed")

    def test_guesses_nothing(self):
        for requirement in [
            "numpy~=1.24",
            "numpy===1.24.0",
            "numpy==1.*",
            "numpy>=1.24rc1",
            "numpy[extra]",
            'numpy>=1.24; python_version < "4"',
            "numpy @ https://example.org/numpy.whl",
            "numpy 1.24",
            "numpy>=",
            "-r other.txt",
            "--no-index",
            "./local",
            "git+https://example.org/x",
        ]:
            with self.subTest(requirement):
                self.assertEqual(installed.problem(requirement), "cannot be checked without pip")

    def test_reads_a_file_with_comments(self):
        text = "# what we need\n\n  numpy>=1.20  # arrays\r\n\t# more\nscikit-learn\nold#not a comment\n"
        self.assertEqual(
            self.check(text),
            (1, "mlcli: old#not a comment: cannot be checked without pip\n"),
        )
        self.assertEqual(self.check("numpy # ok\n#scipy\n"), (0, ""))
        self.assertEqual(self.check(""), (0, ""))

    def test_names_all_that_is_not_met(self):
        self.assertEqual(
            self.check("scipy\nnumpy\nnumpy>2\npip @ x\n"),
            (
                1,
                "mlcli: scipy: is not installed\n"
                "mlcli: numpy>2: is installed as 1.24.0\n"
                "mlcli: pip @ x: cannot be checked without pip\n",
            ),
        )

    def test_takes_a_constraint_for_what_is_installed_alone(self):
        self.assertEqual(
            self.check("-c numpy<2\n-c scipy<1\n-c numpy==1.* ; python_version < '3'\n"), (0, "")
        )
        self.assertEqual(
            self.check("-c numpy<1.20\n"), (1, "mlcli: -c numpy<1.20: is installed as 1.24.0\n")
        )

    def test_compares_the_numbers_of_a_release(self):
        for text, numbers in {
            "1.24": (1, 24),
            "1.24.0": (1, 24),
            "1.24.0.post1": (1, 24),
            "2.1.0+cpu": (2, 1),
            "2.0.0rc1": (2,),
            "1.0.10": (1, 0, 10),
            "0": (),
            "": (),
        }.items():
            with self.subTest(text):
                self.assertEqual(installed.release(text), numbers)

    def test_knows_what_is_really_installed(self):
        result = support.run_python(
            "import installed\nprint(installed.problem('no-such-package-of-anybody'))"
        )
        self.assertEqual((result.stdout, result.stderr), ("is not installed\n", ""))
