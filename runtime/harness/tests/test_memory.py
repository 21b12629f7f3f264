import mmap
import os

from support import ContainerTest
from mlcli_harness.serving import memory as module
from mlcli_harness.serving.memory import Footprint, bounds, megabytes, memory_limits, room, smallest

GB = 1024**3
MACHINE = 64 * GB


class MemoryTest(ContainerTest):
    def setUp(self):
        super().setUp()
        self.replace(module, "CGROUPS", self.path("/sys/fs/cgroup"))
        self.replace(module, "OWN_CGROUPS", self.path("/proc/self/cgroup"))
        self.replace(module, "STATUS", self.path("/proc/self/status"))
        self.replace(module, "MACHINE", self.path("/proc/meminfo"))
        self.replace(os, "sysconf", lambda name: 4096 if name == "SC_PAGE_SIZE" else MACHINE // 4096)

    def group(self, path, limit, used, stat):
        """A control group of version 2."""
        directory = "/sys/fs/cgroup" + path
        self.write(directory + "/memory.max", "%s\n" % limit)
        self.write(directory + "/memory.current", "%d\n" % used)
        self.write(directory + "/memory.stat", stat)

    def group_1(self, path, limit, used, stat):
        """A control group of version 1."""
        directory = "/sys/fs/cgroup/memory" + path
        self.write(directory + "/memory.limit_in_bytes", "%d\n" % limit)
        self.write(directory + "/memory.usage_in_bytes", "%d\n" % used)
        self.write(directory + "/memory.stat", stat)

    def machine(self, available):
        """The machine, with so many bytes left."""
        text = "MemTotal:       %d kB\nMemFree:          1 kB\nMemAvailable:   %d kB\n"
        self.write("/proc/meminfo", text % (MACHINE // 1024, available // 1024))

    def sizes(self):
        return [limit.size for limit in memory_limits()]


class Limits(MemoryTest):
    def test_are_those_of_version_2(self):
        self.write("/proc/self/cgroup", "0::/\n")
        self.group("", 1000, 300, "anon 100\nactive_file 50\ninactive_file 40\nslab_reclaimable 10\n")
        [limit] = memory_limits()
        self.assertEqual((limit.size, limit.room()), (1000, 800))

    def test_are_those_of_version_1(self):
        self.write("/proc/self/cgroup", "5:devices:/d\n4:cpu,memory:/\n1:name=systemd:/\n0::/\n")
        # Of its own and all below it.
        self.group_1("", 1000, 300, "active_file 1\ntotal_active_file 50\ntotal_inactive_file 50\n")
        [limit] = memory_limits()
        self.assertEqual((limit.size, limit.room()), (1000, 800))

    def test_are_those_of_the_groups_around_it_too(self):
        self.write("/proc/self/cgroup", "0::/pod/container\n")
        self.group("/pod/container", 5000, 300, "")
        self.group("/pod", 4000, 3900, "")
        self.group("", "max", 5000, "")
        limits = memory_limits()
        self.assertEqual([limit.size for limit in limits], [5000, 4000])
        # That of which less is left is the one that counts.
        tightest, left = room(limits)
        self.assertEqual((tightest.size, left), (4000, 100))

    def test_are_the_containers_where_the_path_is_that_of_outside(self):
        for line in ("4:memory:/docker/abc", "4:memory:/../.."):
            self.write("/proc/self/cgroup", line + "\n")
            self.group_1("", 1000, 300, "")
            self.assertEqual(self.sizes(), [1000])

    def test_are_none_where_nothing_says_so(self):
        self.assertEqual(memory_limits(), [])
        self.write("/proc/self/cgroup", "0::/\n4:memory:/\n")
        self.assertEqual(memory_limits(), [])
        for limit in ("max", "", str(MACHINE)):
            self.group("", limit, 1, "")
            self.assertEqual(memory_limits(), [])
        self.group_1("", 0x7FFFFFFFFFFFF000, 1, "")
        self.assertEqual(memory_limits(), [])
        self.assertIsNone(room([]))

    def test_leave_an_unknown_room_where_the_use_cannot_be_read(self):
        self.write("/proc/self/cgroup", "0::/\n")
        self.group("", 1000, 300, "")
        limits = memory_limits()
        for text in ("", "many"):
            self.write("/sys/fs/cgroup/memory.current", text)
            self.assertIsNone(room(limits))
        os.remove(self.path("/sys/fs/cgroup/memory.stat"))
        self.assertIsNone(room(limits))


class Bounds(MemoryTest):
    def found(self, workers):
        return [(limit.owner, limit.size, limit.room()) for limit in bounds(workers)]

    def test_contain_the_machine_if_the_workers_might_not_fit(self):
        self.machine(16 * GB)
        machine = ("machine", MACHINE, 16 * GB)
        self.assertEqual((self.found(8), self.found(9)), ([], [machine]))
        # Files might grow when they are loaded, and files in directories count.
        self.write("/opt/ml/model/weights/part", "")
        os.truncate(self.path("/opt/ml/model/weights/part"), GB)
        os.symlink("nowhere", self.path("/opt/ml/model/link"))
        self.assertEqual((self.found(2), self.found(3)), ([], [machine]))
        # The container has no limit, so the limit for bodies does not change.
        self.assertIsNone(smallest(memory_limits()))

    def test_contain_the_machine_and_the_container_if_the_container_has_a_limit(self):
        self.write("/proc/self/cgroup", "0::/\n")
        self.group("", 8 * GB, 0, "")
        self.assertEqual(self.found(2), [("container", 8 * GB, 8 * GB)])
        self.machine(5 * GB)
        self.assertEqual(self.found(2), [("container", 8 * GB, 8 * GB), ("machine", MACHINE, 5 * GB)])
        self.assertEqual(room(bounds(2))[1], 5 * GB)

    def test_are_empty_if_the_kernel_does_not_report_memory(self):
        for text in (None, "", "MemTotal: 9 kB\n", "MemTotal: 9 kB\nMemAvailable: many kB\n"):
            if text is not None:
                self.write("/proc/meminfo", text)
            self.assertEqual(bounds(1000), [])

    def test_read_the_memory_of_this_machine(self):
        self.replace(module, "MACHINE", "/proc/meminfo")
        [machine] = bounds(1_000_000)
        self.assertTrue(0 < machine.room() <= machine.size, machine.room())


class Footprints(MemoryTest):
    STATUS = """Name:\tpython3
VmPeak:\t 900 kB
VmHWM:\t  60 kB
VmRSS:\t  50 kB
RssAnon:\t  10 kB
RssFile:\t  39 kB
RssShmem:\t   1 kB
VmSwap:\t   2 kB
Threads:\t1
"""

    def test_leave_out_files(self):
        self.write("/proc/self/status", self.STATUS)
        self.assertEqual(vars(Footprint()), {"own": 13 * 1024, "all": 50 * 1024, "peak": 60 * 1024})

    def test_are_nothing_where_the_kernel_does_not_say(self):
        self.assertEqual(vars(Footprint()), {"own": 0, "all": 0, "peak": 0})
        self.write("/proc/self/status", "Name:\tpython3\nVmRSS:\tnone kB\n")
        self.assertEqual(vars(Footprint()), {"own": 0, "all": 0, "peak": 0})

    def test_grow_with_what_a_process_takes(self):
        # This process's own; a kernel that tells nothing of the kind would show here.
        self.replace(module, "STATUS", "/proc/self/status")
        before = Footprint()
        # Not from what the process has and does not use just now.
        with mmap.mmap(-1, 32 * 1024**2, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as taken:
            for place in range(0, len(taken), mmap.PAGESIZE):
                taken[place] = 1
            after = Footprint()
        self.assertGreater(after.own - before.own, 30 * 1024**2)
        self.assertGreater(after.peak, 30 * 1024**2)

    def test_are_told_in_megabytes(self):
        self.assertEqual(megabytes(1.6 * 1024**2), "2 MB")
