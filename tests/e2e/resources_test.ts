import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { buildTestImage, TEST_IMAGE, withEngine } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

/** Prints the limits of the container, and the addresses of its name. */
const REPORT = `
import os, socket
shm = os.statvfs("/dev/shm")
print("shm:", shm.f_blocks * shm.f_frsize)
one, two = "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu.max"
print("cpus:", open(one if os.path.exists(one) else two).read().split()[0])
print("name:", socket.gethostbyname(socket.gethostname()))
`;

function reportingApp(local: Readonly<Record<string, unknown>> = {}): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE, local },
    files: { "processing/p.py": REPORT },
  });
}

suite("what a container takes of this machine", () => {
  beforeAll(buildTestImage);

  it("is what was asked for, on the machine's own network, too", async () => {
    await using app = await reportingApp({ cpus: 0.5, shm_size: "96m" });
    const process = ["local", "process", "-f", "p.py"];
    const { code, stdout } = await app.run([...process, "--network", "host"]);
    assertEquals([code, stdout], [0, "shm: 100663296\ncpus: 50000\nname: 127.0.0.1\n"]);
  });

  it("is refused in the user's words where the engine has it not", async () => {
    await using app = await reportingApp();
    const isPodman = await withEngine((engine) => Promise.resolve(engine.isPodman));
    const process = ["local", "process", "-f", "p.py"];
    const table: readonly (readonly [args: readonly string[], message: RegExp])[] = [
      [["--network", `not-${app.name}`], /^error: The Docker Engine has no network "not-test/m],
      [
        ["--gpus", "device=none"],
        /^error: (The Docker Engine (has no|cannot give)|Podman gives no GPUs)/m,
      ],
      // Podman takes any number.
      ...isPodman ? [] : [
        [["--cpus", "99999"], /^error: The Docker Engine has fewer than 99999 CPUs$/m],
      ] as const,
    ];
    for (const [args, message] of table) {
      const { code, stdout, stderr } = await app.run([...process, ...args]);
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, message);
    }
  });
});
