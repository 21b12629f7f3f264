import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { completeApp } from "../../helpers/app.ts";
import { fakeContainers, type Play } from "../../helpers/fake_containers.ts";
import { refusal } from "../../helpers/fake_engine.ts";
import { fakeInput } from "../../helpers/fake_keyboard.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";

async function run(
  args: readonly string[],
  { local, play = {} }: { readonly local?: unknown; readonly play?: Play } = {},
) {
  await using app = await completeApp({ configuration: local === undefined ? {} : { local } });
  await using engine = await fakeContainers(play);
  const result = await runInProcess(["local", ...args], {
    ...{ cwd: app.directory, engine, input: fakeInput([]) },
  });
  return { ...result, created: engine.created };
}

const COMMANDS = {
  train: ["train"],
  process: ["process", "-f", "p.py"],
  "shell train": ["shell", "train", "--", "true"],
  "shell process": ["shell", "process", "--", "true"],
  "shell serve": ["shell", "serve", "--", "true"],
} as const;

/** A program that exits with 0. */
const ENDS: Play = { program: ({ end }) => end(0) };

/** Puts options before what follows `--`. */
function withOptions([command, ...rest]: readonly string[], ...options: readonly string[]) {
  return [command!, ...options, ...rest];
}

/** https://github.com/aws/sagemaker-python-sdk/issues/2729 */
suite("--publish", () => {
  for (const [name, command] of Object.entries(COMMANDS)) {
    it(`local ${name} publishes each port of --publish on 127.0.0.1`, async () => {
      const options = ["--publish", "5678", "--publish", "6000:8265", "--publish", "6001:8265"];
      const play: Play = command[0] === "shell" ? { ...ENDS, onInput: () => {} } : {};
      const { code, created: [body] } = await run(withOptions(command, ...options), { play });
      const { ExposedPorts, HostConfig: { PortBindings } } = body;
      const at = (HostPort: string) => ({ HostIp: "127.0.0.1", HostPort });
      assertEquals({ code, ExposedPorts, PortBindings }, {
        code: 0,
        ExposedPorts: { "5678/tcp": {}, "8265/tcp": {} },
        PortBindings: { "5678/tcp": [at("5678")], "8265/tcp": [at("6000"), at("6001")] },
      });
    });
  }

  it("local train publishes no port without --publish", async () => {
    const { created: [{ ExposedPorts, HostConfig }] } = await run(COMMANDS.train);
    assertEquals([ExposedPorts, HostConfig.PortBindings], [undefined, undefined]);
  });

  const rejected: readonly (readonly [name: string, options: readonly string[], error: string])[] =
    [
      ["--strict", ["--strict"], 'Options "--publish" and "--strict" cannot be used together'],
      [
        "several hosts",
        ["--instance-count", "2"],
        'Options "--publish" and "--instance-count" cannot be used together',
      ],
      [
        "--network none",
        ["--network", "none"],
        'Option "--publish" requires a network, but the container has none',
      ],
      [
        "--network-isolation",
        ["--network-isolation"],
        'Option "--publish" requires a network, but the container has none',
      ],
      [
        "--network host",
        ["--network", "host"],
        'Option "--publish" has no effect with "--network host"',
      ],
      [
        "a second container port on a port",
        ["--publish", "5678:80"],
        'Option "--publish" uses port 5678 of this machine more than once',
      ],
    ];
  for (const [name, options, error] of rejected) {
    for (const command of [COMMANDS.train, COMMANDS.process]) {
      it(`local ${command[0]} rejects --publish beside ${name}`, async () => {
        const args = withOptions(command, "--publish", "5678", ...options);
        const { code, stderr, created } = await run(args);
        assertEquals({ code, created }, { code: 2, created: [] });
        assertStringIncludes(stderr, `error: ${error}\n`);
      });
    }
  }

  it("local shell rejects --publish beside --strict", async () => {
    const { code, created } = await run(["shell", "--publish", "5678", "--strict"]);
    assertEquals({ code, created }, { code: 2, created: [] });
  });

  it("local train rejects --publish if the configuration file names the network none", async () => {
    const args = withOptions(COMMANDS.train, "--publish", "5678");
    const { code, created } = await run(args, { local: { network: "none" } });
    assertEquals({ code, created }, { code: 2, created: [] });
  });

  it("the configuration file cannot publish a port", async () => {
    const { created: [body] } = await run(COMMANDS.train, { local: { publish: ["5678"] } });
    assertEquals(body.HostConfig.PortBindings, undefined);
  });

  for (const text of ["0", "65536", "a", "1:", ":1", "", "-1", "5678/tcp", "5678-5680"]) {
    it(`--publish rejects "${text}"`, async () => {
      const { code, stderr } = await run(["train", `--publish=${text}`]);
      assertEquals(code, 2);
      assertMatch(stderr, /--publish/);
    });
  }

  it("--publish rejects an address with the reason", async () => {
    const { code, stderr } = await run(["train", "--publish", "0.0.0.0:5678:5678"]);
    assertEquals({ code, stderr }, {
      code: 2,
      stderr:
        'error: Option "--publish" must be [HOST_PORT:]PORT, such as 5678 or 5679:5678, but ' +
        'got "0.0.0.0:5678:5678"\nhint: Remove the address: it is always 127.0.0.1\n',
    });
  });

  // Docker 20.10 to 27: a container, a program; Docker 28; Docker Desktop; Podman.
  for (
    const words of [
      "driver failed programming external connectivity on endpoint x (8d0): Bind for 127.0.0.1:5678 failed: port is already allocated",
      "driver failed programming external connectivity on endpoint x (8d0): Error starting userland proxy: listen tcp4 127.0.0.1:5678: bind: address already in use",
      "failed to set up container networking: driver failed programming external connectivity on endpoint x (8d0): failed to bind host port for 127.0.0.1:5678:172.17.0.2:5678/tcp: address already in use",
      "Ports are not available: exposing port TCP 127.0.0.1:5678 -> 0.0.0.0:0: listen tcp 127.0.0.1:5678: bind: address already in use",
      "rootlessport listen tcp 127.0.0.1:5678: bind: address already in use",
    ]
  ) {
    it(`local train names a port that is taken if the engine says "${words}"`, async () => {
      const answers = { "POST /containers/ID/start": () => refusal(500, words) };
      const { code, stderr } = await run(["train", "--publish", "5678"], { play: { answers } });
      assertEquals(code, 1);
      assertStringIncludes(
        stderr,
        "error: Port already in use: 5678\nhint: Stop the program that uses the port, or " +
          "choose another host port, such as --publish 5679:5678\n",
      );
    });
  }
});
