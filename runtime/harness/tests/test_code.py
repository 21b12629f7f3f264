import os
import sys
import threading

from support import ContainerTest
from mlcli_harness import code, paths
from mlcli_harness.failure import HarnessError


class CodeDirectory(ContainerTest):
    def setUp(self):
        super().setUp()
        for kind in ("training", "prediction"):
            self.write("/opt/program/%s/%s.py" % (kind, kind), "")
        self.said = []

    def find(self, kind="training"):
        return code.code_directory(kind, self.said.append)

    def assert_linked(self, kind="training"):
        self.assertEqual((self.find(kind), self.said), (paths.CODE, []))
        self.assertEqual(os.readlink(paths.CODE), self.path("/opt/program/" + kind))
        self.assertEqual(os.listdir(paths.CODE), [kind + ".py"])
        self.assertEqual(os.listdir(os.path.dirname(paths.CODE)), ["code"])

    def test_is_a_link_to_the_images_own(self):
        self.assert_linked()

    def test_is_so_again_in_the_same_container(self):
        self.assert_linked()
        self.assert_linked()
        self.assert_linked("prediction")
        self.assert_linked("training")

    def test_takes_the_place_of_an_empty_directory(self):
        os.makedirs(paths.CODE)
        self.assert_linked()

    def test_is_what_is_mounted(self):
        self.write("/opt/ml/code/a.py", "")
        self.assertEqual((self.find(), self.said), (paths.CODE, []))
        self.assertEqual(os.listdir(paths.CODE), ["a.py"])
        # Also where that is a link of somebody else's.
        self.write("/own/b.py", "")
        os.remove(paths.CODE + "/a.py")
        os.rmdir(paths.CODE)
        os.symlink(self.path("/own"), paths.CODE)
        self.assertEqual((self.find(), os.listdir(paths.CODE)), (paths.CODE, ["b.py"]))

    def assert_falls_back(self, problem):
        image = self.path("/opt/program/training")
        self.assertEqual(self.find(), image)
        self.assertEqual(
            self.said,
            ["mlcli: the code runs in %s, because %s cannot link to it: %s" % (image, paths.CODE, problem)],
        )
        self.said.clear()
        self.assertEqual(code.code_directory("training", None), image)
        self.assertEqual([n for n in os.listdir(os.path.dirname(paths.CODE)) if n != "code"], [])

    def test_is_the_images_own_where_something_is_in_the_way(self):
        self.write("/opt/ml/code", "a file")
        self.assert_falls_back("the path already exists")
        self.assertEqual(self.read("/opt/ml/code"), "a file")
        os.remove(paths.CODE)
        os.symlink("/nowhere", paths.CODE)
        self.assert_falls_back("the path already exists")
        self.assertEqual(os.readlink(paths.CODE), "/nowhere")

    def test_is_the_images_own_where_nothing_may_be_written(self):
        os.makedirs(os.path.dirname(paths.CODE))

        def refuse(*arguments):
            raise PermissionError(13, "Permission denied")

        # A user other than root; then a mount of an empty directory; then a race that is lost.
        for name in ("symlink", "replace"):
            with self.subTest(name):
                self.replace(os, name, refuse)
                self.assert_falls_back("Permission denied")
        os.makedirs(paths.CODE)
        self.replace(os, "rmdir", refuse)
        self.assert_falls_back("Permission denied")

    def test_is_the_same_for_processes_side_by_side(self):
        os.makedirs(paths.CODE)
        ids = iter(range(100))
        self.replace(os, "getpid", lambda: next(ids))
        found = []
        threads = [
            threading.Thread(target=lambda: found.append(code.code_directory("training", None)))
            for _ in range(16)
        ]
        interval = sys.getswitchinterval()
        self.addCleanup(sys.setswitchinterval, interval)
        sys.setswitchinterval(1e-6)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [paths.CODE] * 16)
        self.assert_linked()

    def test_comes_first_on_the_path_and_what_is_common_next(self):
        before = list(sys.path)
        self.write("/opt/program/common/features.py", "FROM = 'common'")
        self.write("/opt/program/common/training.py", "FROM = 'common'")
        self.write("/opt/program/common/colorsys.py", "FROM = 'common'")
        # Each worker of a server does it, and, with MLCLI_PRELOAD, before that the master.
        for _ in range(2):
            code.enter_code_directory("training")
        self.assertEqual(sys.path, [paths.CODE, paths.COMMON, *before[1:]])
        for name in ("features", "training", "colorsys"):
            sys.modules.pop(name, None)
        import colorsys
        import features
        import training

        self.assertEqual(features.FROM, "common")
        # Beside the code is nearer; and both come before Python's own, as beside a script.
        self.assertEqual(training.__file__, paths.CODE + "/training.py")
        self.assertEqual(colorsys.FROM, "common")

    def test_comes_first_on_the_path_where_nothing_is_common(self):
        before = list(sys.path)
        code.enter_code_directory("training")
        self.assertEqual(sys.path, [paths.CODE, *before[1:]])

    def test_is_missing_where_there_is_none(self):
        with self.assertRaisesRegex(HarnessError, "^No processing code in .* or .*$"):
            self.find("processing")
