import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { buildTestImage, TEST_IMAGE, withEngine } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

const REPORT = `
import os
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines())
print("no new privileges:", status["NoNewPrivs"])
try:
    os.mknod("/opt/ml/output/device", 0o20666, os.makedev(1, 3))
    print("device made")
except PermissionError: print("no device")
limits = ("/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max")
print("processes:", [open(path).read().strip() for path in limits if os.path.exists(path)])
print("process 1:", open("/proc/1/comm").read().strip())
`;

function reportingApp(): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: {
      "training/training.py": `def train(data, model):\n${REPORT.replace(/^/gm, "    ")}\n` +
        '    open(model + "/m", "w").close()\n',
      "processing/p.py": REPORT,
      [TRAINING_DATA]: "1\n",
    },
  });
}

suite("what a run may do", () => {
  beforeAll(buildTestImage);

  for (const command of [["train"], ["process", "-f", "p.py"]]) {
    it(`local ${command[0]} gains no privileges, and has an init and a limit`, async () => {
      await using app = await reportingApp();
      const { code, stdout, stderr } = await app.run(["local", ...command]);
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      assertMatch(stdout, /^no new privileges: 1\nno device\nprocesses: \['32768'\]\n/);
      const isPodman = !await withEngine((engine) => Promise.resolve(engine.remembersExitStatus));
      // Podman's is a package of its own, which need not be there.
      assertMatch(stdout, isPodman ? /process 1: (catatonit|python3)\n$/ : /: docker-init\n$/);
      const allowed = await app.run(["local", ...command, "--allow-privileges"]);
      assertMatch(allowed.stdout, /^no new privileges: 0\nno device\n/);
    });
  }
});
