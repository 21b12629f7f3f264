import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { createNetwork, removeNetwork } from "../helpers/box/engine/resources.ts";
import { EngineApi } from "../helpers/box/engine_api.ts";
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

const ASK = `import socket, sys, urllib.request
socket.gethostbyname("host.docker.internal")
print(urllib.request.urlopen("http://%s:8080/ping" % sys.argv[1]).status)
`;

async function ownNetwork(): Promise<AsyncDisposable & { readonly name: string }> {
  const engine = new EngineApi();
  const name = await createNetwork(engine, false);
  return {
    name,
    async [Symbol.asyncDispose](): Promise<void> {
      await removeNetwork(engine, name);
      engine[Symbol.dispose]();
    },
  };
}

async function isPodman(): Promise<boolean> {
  return await withEngine((engine) => Promise.resolve(engine.isPodman));
}

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

  it("is a network on which containers find each other and this machine, and it finds a server", async () => {
    await using network = await ownNetwork();
    await using app = await makeApp({
      configuration: { image_name: TEST_IMAGE },
      files: {
        "prediction/serve": "def model_fn(d): return 1\ndef predict_fn(data, model): return [1]\n",
        "local_test/test_dir/model/m": "",
        "processing/p.py": ASK,
      },
    });
    const on = ["--network", network.name];
    const deployed = await app.run(["local", "deploy", "--port", "0", ...on]);
    assertMatch(deployed.stderr, /^warning: The code uses the Docker network "mlcli-box-/);
    const { port } = new URL(deployed.stdout.trim());
    try {
      await (await fetch(`http://127.0.0.1:${port}/ping`)).body?.cancel();
      // Podman's names need a package of its own (aardvark-dns), which need not be there.
      if (await isPodman()) return;
      const name = `mlcli-${app.name}-serve-${port}`;
      const asked = await app.run(["local", "process", "-f", "p.py", ...on, "--", name]);
      assertEquals([asked.code, asked.stdout], [0, "200\n"], asked.stderr);
    } finally {
      await app.run(["local", "stop", "--port", port]);
    }
  });

  it("is refused with the name of the option where the engine does not have it", async () => {
    await using app = await reportingApp();
    const process = ["local", "process", "-f", "p.py"];
    const table: readonly (readonly [args: readonly string[], message: RegExp])[] = [
      [
        ["--network", `not-${app.name}`],
        /^error: Network "not-test.* does not exist in the Docker Engine/m,
      ],
      [
        ["--gpus", "device=none"],
        /^error: (The Docker Engine cannot provide|Podman does not support GPUs)/m,
      ],
      // Podman takes any number.
      ...await isPodman() ? [] : [
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
