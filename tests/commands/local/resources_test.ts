import { assertEquals, assertMatch } from "@std/assert";
import { completeApp } from "../../helpers/app.ts";
import { fakeContainers, type Play } from "../../helpers/fake_containers.ts";
import { refusal } from "../../helpers/fake_engine.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { besidesRun } from "../../helpers/runs.ts";
import { it, suite } from "../../helpers/suite.ts";

async function run(
  args: readonly string[],
  { local, play = {} }: { readonly local?: unknown; readonly play?: Play } = {},
) {
  await using app = await completeApp({ configuration: local === undefined ? {} : { local } });
  await using engine = await fakeContainers(play);
  const result = besidesRun(await runInProcess(args, { cwd: app.directory, engine }));
  const { stderr } = result;
  return {
    ...result,
    stderr: stderr.replaceAll(app.name, "APP"),
    hosts: engine.created.map(({ HostConfig }) => HostConfig),
  };
}

const TRAIN = ["local", "train"];
const PROCESS = ["local", "process", "-f", "p.py"];
const DEPLOY = ["local", "deploy", "--port", "0"];

suite("what a container may take of this machine", () => {
  for (const command of [TRAIN, PROCESS]) {
    it(`${command.slice(0, 2).join(" ")} gives it as the options ask`, async () => {
      const { code, stderr, hosts } = await run([
        ...command,
        ...["--cpus", "1.5", "--shm-size", "64m", "--memory", "1g"],
        ...["--gpus", "device=0,1", "--network", "bridge"],
      ]);
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      const { NanoCpus, ShmSize, Memory, DeviceRequests, NetworkMode } = hosts[0];
      assertEquals([NanoCpus, ShmSize, Memory, NetworkMode], [
        1_500_000_000,
        67_108_864,
        1_073_741_824,
        "bridge",
      ]);
      assertEquals(DeviceRequests, [{ Capabilities: [["gpu"]], DeviceIDs: ["0", "1"] }]);
    });
  }

  it("is in the configuration file, too, and the command line counts more", async () => {
    const local = { memory: "2g", cpus: 1, shm_size: "1g", gpus: "all", network: "none" };
    const { code, hosts } = await run([...TRAIN, "--cpus", "2", "--network", "bridge"], { local });
    assertEquals(code, 0);
    const { NanoCpus, ShmSize, Memory, DeviceRequests, NetworkMode } = hosts[0];
    assertEquals([NanoCpus, ShmSize, Memory, NetworkMode], [
      2_000_000_000,
      1_073_741_824,
      2_147_483_648,
      "bridge",
    ]);
    assertEquals(DeviceRequests, [{ Capabilities: [["gpu"]], Count: -1 }]);
    const isolated = await run([...TRAIN, "--network-isolation"], { local: { network: "db" } });
    assertEquals(isolated.hosts[0].NetworkMode, "none");
    for (const network of ["db", "host"]) {
      const meant = await run([...TRAIN, "--network", network], { local: { network } });
      assertEquals([meant.code, meant.hosts[0].NetworkMode], [0, network]);
    }
  });

  it("is refused where the file has it wrong, and gets a warning where it is almost right", async () => {
    const refused: readonly (readonly [local: unknown, message: RegExp])[] = [
      [
        "x",
        /^error: APP.json: "local" must be an object with options of mlcli local, but is "x"\n/,
      ],
      [{ cpus: "many" }, /^error: APP.json: "cpus" in "local" must be a number of CPUs/],
      [{ gpus: true }, /^error: APP.json: "gpus" in "local" must be a string or a number, but is /],
      [{ network: "container:a" }, /^error: APP.json: "network" in "local" must be bridge, host/],
      ...["host", "db", "default", "None"].map((network) =>
        [
          { network },
          new RegExp(
            `^error: APP.json: "network" in "local" must be bridge or none, not "${network}"\\n` +
              `hint: To allow this network, .*: --network ${network}\\n$`,
          ),
        ] as const
      ),
    ];
    for (const [local, message] of refused) {
      const { code, stderr, hosts } = await run(TRAIN, { local });
      assertEquals([code, hosts], [1, []]);
      assertMatch(stderr, message);
    }
    const doubted = await run(TRAIN, { local: { shmsize: "1g", docker_tag: "x", own: 1 } });
    assertEquals(doubted.code, 0);
    assertMatch(
      doubted.stderr,
      /^warning: APP.json: unknown key "shmsize" in "local"\nhint: Did you mean "shm_size"\?\n/,
    );
    assertMatch(doubted.stderr, /\nwarning: APP.json: "docker_tag" in "local" has no effect\n/);
  });

  it("may not be --network and --network-isolation at once", async () => {
    const { code, stderr, hosts } = await run([
      ...TRAIN,
      "--network-isolation",
      "--network",
      "host",
    ]);
    assertEquals([code, hosts], [2, []]);
    assertMatch(
      stderr,
      /^error: Options "--network-isolation" and "--network" cannot be used/,
    );
  });

  it("may not be a network on which nobody, or everybody, reaches a server", async () => {
    for (
      const [network, message] of [
        [
          "host",
          /^error: The server cannot use "--network host": other machines could reach it\nhint: /,
        ],
        ["none", /^error: The server requires a network, but the container has none\nhint: /],
      ] as const
    ) {
      const { code, stderr, hosts } = await run([...DEPLOY, "--network", network]);
      assertEquals([code, hosts], [2, []]);
      assertMatch(stderr, message);
    }
    const { code, hosts } = await run(DEPLOY, { local: { network: "none" } });
    assertEquals([code, hosts], [2, []]);
  });

  it("differs from SageMaker where it is a network of this machine", async () => {
    const { code, stderr } = await run([...TRAIN, "--network", "db"]);
    assertEquals(code, 0);
    assertMatch(stderr, /^warning: The code uses the Docker network "db", which SageM/);
    const strict = await run([...TRAIN, "--network", "host", "--strict"]);
    assertEquals(strict.code, 1);
    assertMatch(strict.stderr, /\nerror: --strict found 1 difference from SageMaker/);
  });

  it("is refused in words that name it where the engine does not have it", async () => {
    const answers = { "POST /containers/ID/start": () => refusal(404, "network db not found") };
    const network = await run([...TRAIN, "--network", "db"], { play: { answers } });
    assertEquals(network.code, 1);
    assertMatch(
      network.stderr,
      /error: Network "db" does not exist in the Docker Engine\n {2}network db not f/,
    );
    const podman = await run([...TRAIN, "--gpus", "1"], { play: { isPodman: true } });
    assertEquals([podman.code, podman.hosts], [1, []]);
    assertMatch(podman.stderr, /^error: Podman does not support GPUs/m);
  });
});
