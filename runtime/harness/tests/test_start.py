import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest

from support import HARNESS, make_torch

# What mlcli sends, but for its shell: the paths of the container are below a directory of the test.
PROGRAM = """
import sys
sys.path.insert(0, %r)
from mlcli_harness import paths
for name in dir(paths):
    value = getattr(paths, name)
    if isinstance(value, str) and value.startswith("/opt/ml"):
        setattr(paths, name, sys.argv[1] + value)
from mlcli_harness.start import start
start(sys.argv[1] + sys.argv[2], *sys.argv[3:])
"""

TELL = "import os, sys; print(sys.argv[1:]); print(os.environ['SM_HPS'], os.getpid())\n"


class Start(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = os.path.realpath(place.name)
        os.makedirs(self.path("/opt/ml/input/data/code"))
        os.makedirs(self.path("/opt/ml/input/config"))
        self.parameters({})

    def path(self, path):
        return self.root + path

    def parameters(self, values):
        with open(self.path("/opt/ml/input/config/hyperparameters.json"), "w") as file:
            json.dump(values, file)

    def code(self, files):
        archive = self.path(os.path.join(os.path.dirname(self.SCRIPT), "sourcedir.tar.gz"))
        os.makedirs(os.path.dirname(archive), exist_ok=True)
        with tarfile.open(archive, "w:gz") as archive:
            for name, text in files.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(text.encode())
                archive.addfile(entry, io.BytesIO(text.encode()))

    SCRIPT = "/opt/ml/input/data/code/start.sh"

    def start(self, entry_point, variables=(), arguments=()):
        words = [self.root, self.SCRIPT, entry_point, *arguments]
        command = [sys.executable, "-c", PROGRAM % HARNESS, *words]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **dict(variables)}
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        out, err = process.communicate(timeout=60)
        self.pid = process.pid
        return process.returncode, out, err

    REASON = "failure"

    def reason(self):
        with open(self.path("/opt/ml/output/" + self.REASON)) as file:
            return file.read()

    def make_pip(self):
        """One that says what it installs, and ends with FAILS."""
        pip = self.path("/pip")
        os.makedirs(pip + "/pip")
        with open(pip + "/pip/__init__.py", "w"):
            pass
        with open(pip + "/pip/__main__.py", "w") as file:
            file.write("import os, sys; print(sys.argv[1:], os.environ['PIP_BREAK_SYSTEM_PACKAGES'])\n")
            file.write("sys.exit(int(os.environ.get('FAILS', 0)))")
        return {"PYTHONPATH": pip}


class Training(Start):
    def test_becomes_the_program_with_the_toolkits_arguments(self):
        self.parameters({"epochs": "20", "b": "a b", "map": '{"k": 1}', "sagemaker_x": "1"})
        self.code({"train.py": "import helper; import sys; " + TELL + "sys.exit(7)", "helper.py": ""})
        status, out, err = self.start("train.py")
        words = ["-b", "a b", "--epochs", "20", "--map", "k=1"]
        shown = '{"b":"a b","epochs":20,"map":{"k":1}} %d' % self.pid
        self.assertEqual((status, out, err), (7, "%s\n%s\n" % (words, shown), ""))

    def test_finds_modules_at_the_top_of_the_code(self):
        self.code({"jobs/train.py": "import helper", "helper.py": "print('top')"})
        self.assertEqual(self.start("jobs/train.py"), (0, "top\n", ""))

    def test_runs_scripts_of_a_shell(self):
        self.parameters({"epochs": "20"})
        self.code({"own.sh": "echo $0 $*", "other.sh": "#!/bin/sh\necho $$; exit 3"})
        self.assertEqual(self.start("own.sh"), (0, "./own.sh --epochs 20\n", ""))
        self.assertEqual(self.start("other.sh"), (3, "%d\n" % self.pid, ""))

    def test_says_why_a_program_cannot_run(self):
        self.code({"train.sh": "#!/bin/sh\r\necho\r\n"})
        reason = "Cannot run ./train.sh: No such file or directory (it has Windows line endings, CRLF)"
        self.assertEqual(self.start("train.sh"), (1, "", "mlcli: %s\n" % reason))
        self.assertEqual(self.reason(), reason)
        status, _, err = self.start("trian.py")
        self.assertEqual((status, err), (1, "mlcli: Entry point not found: trian.py\n"))

    def test_installs_what_the_code_asks_for(self):
        self.code({"train.py": "print('ran')", "requirements.txt": "a\n", "run.sh": "echo ran"})
        with_pip = self.make_pip()
        installed = "['install', '-r', 'requirements.txt'] 1\n"
        self.assertEqual(self.start("train.py", with_pip), (0, installed + "ran\n", ""))
        # As with the toolkit, a script sees to that itself.
        self.assertEqual(self.start("run.sh", with_pip), (0, "ran\n", ""))
        status, out, err = self.start("train.py", {**with_pip, "FAILS": "2"})
        failed = "pip install -r requirements.txt failed"
        self.assertEqual((status, out, err), (1, installed, "mlcli: %s\n" % failed))
        self.assertEqual(self.reason(), failed)
        # Of a package, the entry point is a module.
        self.code({"setup.py": "", "shop/train.py": "print('module')", "shop/__init__.py": ""})
        installed = "['install', '.', '-r', 'requirements.txt'] 1\n"
        self.assertEqual(self.start("shop.train", with_pip), (0, installed + "module\n", ""))

    def test_runs_by_torchrun_where_the_job_asks_for_it(self):
        self.parameters({"note": "a b $x", "sagemaker_torch_distributed_enabled": "true"})
        self.code({"jobs/train.py": "print('without')"})
        torch = {"PYTHONPATH": make_torch(self.path("/site"))}
        words = ["--nnodes", "1", "--nproc_per_node", "1", "jobs/train.py", "--note", "a b $x"]
        # The program's own process does not report.
        reporting = {**torch, "MLCLI_REPORT": self.path("/report")}
        fails = [({**torch, "EXIT": "7"}, 7), ({**torch, "EXIT": "-9"}, 137)]
        for variables, expected in [(reporting, 0), *fails]:
            status, out, err = self.start("jobs/train.py", variables)
            self.assertEqual((status, err), (expected, ""))
            self.assertEqual(json.loads(out), [words, ["algo-1", "7777", "eth0", "0", None]])
        status, out, err = self.start("jobs/train.py", {"PYTHONPATH": ""})
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(err, "^mlcli: distribution torchrun requires torch 1.9 or later in the")
        self.assertEqual("mlcli: %s\n" % self.reason(), err)

    def test_needs_the_archive(self):
        status, _, err = self.start("train.py")
        self.assertEqual(status, 1)
        self.assertRegex(err, "^mlcli: Cannot unpack .*sourcedir.tar.gz: ")


class Processing(Start):
    SCRIPT = "/opt/ml/processing/input/code/start.sh"
    REASON = "message"

    def test_becomes_the_program_with_the_arguments_as_they_are(self):
        self.parameters({"epochs": "20"})
        tell = "import helper, os, sys; print(sys.argv, os.getcwd(), os.getpid()); sys.exit(7)"
        self.code({"jobs/clean.py": tell, "helper.py": ""})
        words = ["--rows", "1 000", "", "-x", '"quoted"', "$HOME"]
        status, out, err = self.start("jobs/clean.py", arguments=words)
        place = self.path("/opt/ml/processing/input/code")
        shown = "%s %s %d\n" % (["jobs/clean.py", *words], place, self.pid)
        self.assertEqual((status, out, err), (7, shown, ""))

    def test_has_no_variables_of_a_training(self):
        self.code({"clean.py": "import os; print([name for name in os.environ if name[:3] == 'SM_'])"})
        variables = {name: "" for name in os.environ if name.startswith("SM_")}
        self.assertEqual(variables, {})
        self.assertEqual(self.start("clean.py"), (0, "[]\n", ""))

    def test_installs_for_scripts_of_a_shell_too_and_runs_files_beside_a_setup(self):
        with_pip = self.make_pip()
        self.code({"requirements.txt": "a\n", "setup.py": "", "run.sh": "echo $*", "clean.py": "print(1)"})
        installed = "['install', '-r', 'requirements.txt'] 1\n"
        self.assertEqual(self.start("run.sh", with_pip, ["x"]), (0, installed + "x\n", ""))
        self.assertEqual(self.start("clean.py", with_pip), (0, installed + "1\n", ""))
        status, _, err = self.start("clean.py", {**with_pip, "FAILS": "2"})
        failed = "pip install -r requirements.txt failed"
        self.assertEqual((status, err, self.reason()), (1, "mlcli: %s\n" % failed, failed))

    def test_leaves_the_reason_as_the_message(self):
        self.code({"clean.py": ""})
        status, _, err = self.start("claen.py")
        reason = "Entry point not found: claen.py"
        self.assertEqual((status, err, self.reason()), (1, "mlcli: %s\n" % reason, reason))
