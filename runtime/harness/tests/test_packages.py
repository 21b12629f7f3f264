import os

from support import ContainerTest
from mlcli_harness import packages, report


class Packages(ContainerTest):
    def test_are_named_by_their_directories(self):
        for name in (
            "scikit_learn-1.5.0.dist-info",
            "ruamel.yaml-0.18.6.dist-info",
            "torch-2.3.0+cpu.dist-info",
            "old_one-1.0-py3.8.egg-info",
            "numpy",
            "notes-1.0.txt",
        ):
            os.makedirs(self.path("/a/" + name))
        os.makedirs(self.path("/b/Scikit_Learn-0.1.dist-info"))
        found = packages.packages([self.path("/none"), self.path("/a"), self.path("/b")])
        self.assertEqual(
            found,
            {"scikit-learn": "1.5.0", "ruamel-yaml": "0.18.6", "torch": "2.3.0+cpu", "old-one": "1.0"},
        )

    def test_are_reported_where_mlcli_wants_a_report(self):
        packages.report_packages()
        os.environ["MLCLI_REPORT"] = self.path("/report")
        self.addCleanup(report.take)
        report.take()
        packages.report_packages()
        with open(self.path("/report")) as file:
            self.assertRegex(file.readline(), r'^\["python", "3\.\d+\.\d+"\]$')
