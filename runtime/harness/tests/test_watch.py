import json
import os
import signal
import subprocess
import sys

from support import HARNESS, ContainerTest
from mlcli_harness import watch
from mlcli_harness.watch import Watch

MODEL, INPUT, PROCESSING = "/opt/ml/model", "/opt/ml/input", "/opt/ml/processing"


class WatchTest(ContainerTest):
    def setUp(self):
        super().setUp()
        self.write(MODEL + "/model.json", "{}")
        self.write(INPUT + "/data/training/deep/a.csv", "")
        self.write(INPUT + "/data/processing/p.csv", "")
        self.write("/other/b.csv", "")

    def watch(self, *directories, allowed=()):
        found = Watch([self.path(one) for one in directories], [self.path(one) for one in allowed])
        if found.descriptor is not None:
            self.addCleanup(os.close, found.descriptor)
        return found

    def opened(self, found):
        return [path[len(self.root) :] for path in found.opened()]


class Opened(WatchTest):
    def test_is_what_was_opened_in_a_watched_directory(self):
        found = self.watch(MODEL, INPUT)
        self.read("/other/b.csv")
        self.read(INPUT + "/data/training/deep/a.csv")
        self.read(MODEL + "/model.json")
        # One of each directory is enough.
        self.write(MODEL + "/more", "")
        self.assertEqual(
            self.opened(found), [INPUT + "/data/training/deep/a.csv", MODEL + "/model.json"]
        )

    def test_is_nothing_where_nothing_was(self):
        found = self.watch(MODEL, INPUT)
        os.stat(self.path(MODEL + "/model.json"))
        os.path.exists(self.path(MODEL + "/none"))
        self.read("/other/b.csv")
        self.assertEqual(self.opened(found), [])

    def test_is_what_was_made(self):
        found = self.watch(MODEL, INPUT)
        self.write(MODEL + "/new.json", "")
        os.makedirs(self.path(INPUT + "/new"))
        os.rename(self.path("/other/b.csv"), self.path(INPUT + "/data/moved.csv"))
        self.assertEqual(
            self.opened(found), [MODEL + "/new.json", INPUT + "/new", INPUT + "/data/moved.csv"]
        )

    def test_is_a_directory_that_was_listed(self):
        found = self.watch(INPUT)
        for _ in os.walk(self.path(INPUT)):
            pass
        opened = self.opened(found)
        self.assertEqual(opened[0], INPUT)
        self.assertIn(INPUT + "/data/training/deep", opened)
        self.assertEqual(len(opened), len(set(opened)))

    def test_is_what_another_program_opened(self):
        found = self.watch(MODEL)
        subprocess.run(["cat", self.path(MODEL + "/model.json")], check=True, stdout=subprocess.PIPE)
        self.assertEqual(self.opened(found), [MODEL + "/model.json"])

    def test_leaves_out_what_the_platform_has_by_another_path(self):
        # As mlcli mounts it: /opt/ml/processing/input is the same directory.
        processing = INPUT + "/data/processing"
        found = self.watch(MODEL, INPUT, allowed=[processing])
        self.read(processing + "/p.csv")
        os.listdir(self.path(processing))
        self.assertEqual(self.opened(found), [])
        os.listdir(self.path(INPUT + "/data"))
        self.assertEqual(self.opened(found), [INPUT + "/data"])

    def test_has_only_directories_that_there_are(self):
        os.symlink(self.path("/other"), self.path(MODEL + "/link"))
        found = self.watch("/none", MODEL + "/model.json", MODEL)
        self.read("/other/b.csv")
        self.assertEqual(self.opened(found), [])
        self.assertEqual(list(found.watched.values()), [self.path(MODEL)])

    def test_is_unknown_beyond_the_limits(self):
        self.replace(watch, "MOST_DIRECTORIES", 3)
        found = self.watch(INPUT, MODEL)
        self.assertEqual(len(found.watched), 3)
        # The upper ones come first.
        self.assertIn(self.path(MODEL), found.watched.values())
        self.replace(watch, "MOST_ENTRIES", 1)
        self.assertEqual(len(self.watch(INPUT).watched), 1)

    def test_is_unknown_without_the_means(self):
        for missing in ("ctypes", "inotify"):
            with self.subTest(missing):
                if missing == "ctypes":
                    # What import finds where Python was built without it.
                    self.replace(sys, "modules", {**sys.modules, "ctypes": None})
                    found = self.watch(MODEL)
                else:
                    found = Watch([])
                    found.begin(lambda flags: -1, None, [self.path(MODEL)], [])
                self.read(MODEL + "/model.json")
                self.assertEqual(self.opened(found), [])
        found = Watch([])
        end, start = os.pipe()
        self.addCleanup(os.close, start)
        self.addCleanup(os.close, end)
        found.begin(lambda flags: end, lambda *_: -1, [self.path(MODEL)], [])
        self.assertEqual((self.opened(found), found.watched), ([], {}))

    def test_is_unknown_once_its_descriptor_is_anothers(self):
        found = self.watch(MODEL)
        self.read(MODEL + "/model.json")
        os.close(found.descriptor)
        self.assertEqual(self.opened(found), [])
        os.dup2(0, found.descriptor)
        self.assertEqual(self.opened(found), [])


# Runs code as `process` or `train` does, with the container's paths below a root.
RUN = """
import os, sys
sys.path.insert(0, %r)
kind, root = sys.argv[1:]
from mlcli_harness import paths
for name, path in list(vars(paths).items()):
    if isinstance(path, str) and path.startswith("/opt/"): setattr(paths, name, root + path)
from mlcli_harness.stopping import stop_on_sigterm
stop_on_sigterm()
if kind == "train":
    from mlcli_harness.train import train
    train()
else:
    from mlcli_harness.process import process
    process("script.py", [])
""" % HARNESS


class Report(WatchTest):
    def run_script(self, code, kind="process", watched=(MODEL, INPUT), report="/report"):
        """(exit status, standard output, the report's rows with paths of the container)."""
        self.write("/opt/program/processing/script.py", "import os, sys, time\n" + code)
        self.write("/opt/program/training/training.py", "import os\ndef train(data, model):\n" + code)
        self.write("/report", "")
        env = {"ROOT": self.root, "PATH": "/usr/bin:/bin"}
        if report:
            env["MLCLI_REPORT"] = self.path(report)
            env["MLCLI_WATCH"] = ":".join(self.path(one) for one in watched)
        result = subprocess.run(
            [sys.executable, "-B", "-S", "-c", RUN, kind, self.root],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=30,
            check=False,
            encoding="utf-8",
        )
        rows = [json.loads(line) for line in self.read("/report").splitlines()]
        return (
            result.returncode,
            result.stdout,
            # What else is in it, test_packages.py and test_failure.py have.
            [
                [kind, path.replace(self.root, "")]
                for kind, path in rows
                if kind not in ("python", "package", "reason")
            ],
        )

    OPEN = "open(os.environ['ROOT'] + '/opt/ml/model/model.json')\n"
    ROWS = [["opened", MODEL + "/model.json"]]

    def test_is_written_however_the_code_ends(self):
        for end, status in {
            "": 0,
            "raise ValueError('x')": 1,
            "sys.exit(7)": 7,
            "os.kill(os.getpid(), %d); time.sleep(20)" % signal.SIGTERM: 143,
            "import signal; signal.signal(15, lambda *_: sys.exit(3)); os.kill(os.getpid(), 15)": 3,
            "raise KeyboardInterrupt": 130,
            # A child that ends as the parent does is not the parent.
            "os.fork() or sys.exit(); os.wait()": 0,
            "import threading; threading.Thread(target=lambda: time.sleep(0.01)).start()": 0,
        }.items():
            with self.subTest(end):
                self.assertEqual(self.run_script(self.OPEN + end), (status, "", self.ROWS))

    def test_has_what_the_code_opens_last(self):
        code = "import atexit\natexit.register(lambda: open(os.environ['ROOT'] + '/opt/ml/model/model.json'))"
        self.assertEqual(self.run_script(code), (0, "", self.ROWS))

    def test_of_a_training_has_what_is_no_channel(self):
        self.write("/opt/ml/input/config/inputdataconfig.json", '{"training": {}}')
        code = "    for d in (data, data + '/../processing'): print(os.listdir(d))\n"
        watched = [INPUT + "/data/processing", INPUT + "/data/training"]
        self.assertEqual(
            self.run_script(code, "train", watched),
            (0, "['deep']\n['p.csv']\n", [["opened", INPUT + "/data/processing"]]),
        )
        code += "    raise ValueError()\n"
        self.assertEqual(
            self.run_script(code, "train", watched)[::2],
            (1, [["opened", INPUT + "/data/processing"]]),
        )

    def test_is_of_the_process_and_not_of_one_that_it_forks(self):
        code = (
            "os.makedirs(os.environ['ROOT'] + '/opt/ml/processing', exist_ok=True)\n"
            "open(os.environ['ROOT'] + '/opt/ml/processing/b', 'w').close()\n"
            "os.fork() or sys.exit()\n"
            "os.wait()\n"
        )
        self.assertEqual(self.run_script(code), (0, "", [["lost", PROCESSING + "/b"]]))

    def test_names_files_that_the_platform_loses(self):
        for name in ("image.txt", "changed.txt", "code/own.py"):
            self.write("%s/%s" % (PROCESSING, name), "")
            os.utime(self.path("%s/%s" % (PROCESSING, name)), (1, 1))
        code = (
            "os.chdir(os.environ['ROOT'] + '/opt/ml/processing')\n"
            "for name in ('input', 'output/deep', 'train', 'output2/input'): os.makedirs(name)\n"
            "for name in ('input/a', 'output/deep/a', 'train/a', 'output2/input/a', 'changed.txt', 'b'):\n"
            "    open(name, 'w').close()\n"
            "open('image.txt').close()\n"
        )
        lost = ["b", "changed.txt", "output2/input/a", "train/a"]
        self.assertEqual(
            self.run_script(code), (0, "", [["lost", "%s/%s" % (PROCESSING, n)] for n in lost])
        )

    def test_has_twenty_lines_at_most(self):
        code = (
            "root = os.environ['ROOT']\n"
            "for n in range(30):\n"
            "    for d in ('/opt/ml/processing', '/opt/ml/model/%d' % n):\n"
            "        os.path.isdir(root + d) or os.makedirs(root + d)\n"
            "        open(root + d + '/%d' % n, 'w').close()\n"
        )
        for number in range(30):
            os.makedirs(self.path("%s/%d" % (MODEL, number)))
        rows = self.run_script(code)[2]
        self.assertEqual([kind for kind, _ in rows], ["opened"] * 10 + ["lost"] * 10)

    def test_survives_what_the_code_does_to_descriptors(self):
        self.assertEqual(self.run_script(self.OPEN + "os.closerange(3, 1000)"), (0, "", []))
        code = self.OPEN + "os.closerange(3, 1000); print([os.open('/dev/zero', 0) for _ in range(9)][0])"
        self.assertEqual(self.run_script(code), (0, "3\n", []))

    def test_that_cannot_be_written_is_no_failure(self):
        self.assertEqual(self.run_script(self.OPEN, report="/opt"), (0, "", []))

    def test_is_hidden_from_the_code_and_absent_on_the_platform(self):
        code = "print([n for n in os.environ if n.startswith('MLCLI_')], 'ctypes' in sys.modules)\n"
        self.assertEqual(self.run_script(code), (0, "[] True\n", []))
        self.assertEqual(self.run_script(code, watched=()), (0, "[] False\n", []))
        # The three standard streams, and the directory that is being listed.
        code += self.OPEN + "print(len(os.listdir('/proc/self/fd')))"
        self.assertEqual(self.run_script(code, report=None), (0, "[] False\n4\n", []))
