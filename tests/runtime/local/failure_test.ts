import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { codeHint, fullDiskHint, permissionHint } from "../../../runtime/local/explanations.ts";
import { machineNameHint } from "../../../runtime/local/container/machine_name.ts";
import { appObject } from "../../helpers/app_object.ts";
import { it, suite } from "../../helpers/suite.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { MAY_MOUNT, smallDisk } from "../../helpers/small_disk.ts";

const APP = appObject("/apps", "demo");

const TEST_DIR = join("demo", "mlcli_base", "local_test", "test_dir");

/** What Python refused; who runs; the directory to open, and how, if that is the reason. */
const ROWS: readonly (readonly [path: string, user: string | undefined, chmod?: string])[] = [
  ["/opt/ml/code", "1000", `o+rX ${join("demo", "mlcli_base", "training")}`],
  ["/opt/ml/code/training.py", "app:app", `o+rX ${join("demo", "mlcli_base", "training")}`],
  ["/opt/program/common/x.py", "1000", `o+rX ${join("demo", "mlcli_base", "common")}`],
  ["/opt/ml/input/data/training/a.csv", "1000:1000", `o+rX ${join(TEST_DIR, "input")}`],
  ["/opt/ml/model/m", "1000", `o+rwX ${join(TEST_DIR, "model")}`],
  ["/opt/ml/output/data/x", "1000", `o+rwX ${join(TEST_DIR, "output")}`],
  ["/opt/ml/checkpoints/1", "1000", `o+rwX ${join(TEST_DIR, "checkpoints")}`],
  ["/opt/ml/modelling", "1000"],
  ["/etc/shadow", "1000"],
  ["/opt/ml/code", undefined],
  ["/opt/ml/code", ""],
  ["/opt/ml/code", "root"],
  ["/opt/ml/code", "0:0"],
  ["/opt/ml/code", "root:staff"],
];

suite("the hint for what an image's own user may not", () => {
  for (const [path, user, chmod] of ROWS) {
    it(`${path} by ${user ?? "nobody"}: ${chmod ?? "none"}`, () => {
      const words = `PermissionError: [Errno 13] Permission denied: '${path}'`;
      const hint = permissionHint(words, user, { app: APP, code: "training" });
      assertEquals(hint?.split("chmod -R ")[1], chmod);
    });
  }

  it("is none for other words", () => {
    assertEquals(permissionHint("KeyError: 3", "1000", { app: APP, code: "training" }), undefined);
  });
});

suite("the hint for code that is not found", () => {
  it("names the file as the user would type it, and is none for other words", () => {
    const file = join("demo", "mlcli_base", "training") + "/training.py";
    assertEquals(
      codeHint("mlcli: Training code not found: /opt/ml/code/training.py", APP),
      `Name the file with your train() function ${file}`,
    );
    assertEquals(codeHint("FileNotFoundError: training.py", APP), undefined);
    // As mlcli_harness/train.py says it.
    assertEquals(
      codeHint("train() takes 1 positional argument but 2 were given. Define train(a, b)", APP),
      "Add a third parameter to train() if it uses hyperparameters",
    );
  });
});

suite("fullDiskHint", () => {
  for (
    const [words, hint] of [
      [
        "OSError: [Errno 28] No space left on device: '/opt/ml/model/m'",
        "disk that contains the app",
      ],
      [
        "OSError: [Errno 122] Disk quota exceeded: '/opt/ml/output/x'",
        "disk that contains the app",
      ],
      [
        "RuntimeError: unable to write to file </torch_1>: /dev/shm: No space left on device",
        "shm",
      ],
      ["OSError: [Errno 28] No space left on device: '/root/.cache/x'", "docker system df"],
      ["write error: No space left on device", "docker system df"],
      ["ValueError: there is a space left on device", undefined],
      ["", undefined],
    ] as const
  ) {
    it(`of ${words || "nothing"}`, async () => {
      await using directory = await makeDirectory();
      const said = await fullDiskHint(words, directory.path);
      assertEquals(said?.includes(hint ?? ""), hint && true);
    });
  }

  // Root alone can mount a disk.
  if (MAY_MOUNT) {
    it("looks at the app's disk where the words name none", async () => {
      await using disk = await smallDisk();
      const hint = async () => await fullDiskHint("No space left on device", disk.path) ?? "";
      assertMatch(
        await hint(),
        /^Increase --shm-size if .* or free space on the disk of the Docker Engine: /,
      );
      for (const room of [{ blocks: 0 }, { files: 0 }]) {
        await disk.leave(room);
        assertMatch(await hint(), /^Free some space on the disk that contains the app, /);
      }
    });
  }
});

/** The line with which the code failed, and the output above it. */
const UNRESOLVED: readonly (readonly [words: string, output?: string])[] = [
  // https://github.com/aws-samples/amazon-sagemaker-local-mode/issues/23
  [
    "socket.gaierror: [Errno -2] Name or service not known",
    "Traceback (most recent call last):\n" +
    "    pydevd_pycharm.settrace('host.docker.internal', port=9090)",
  ],
  // https://github.com/jhao104/proxy_pool/issues/442
  [
    "redis.exceptions.ConnectionError: Error -2 connecting to host.docker.internal:6379. " +
    "Name or service not known.",
  ],
  // https://github.com/docker/genai-stack/issues/39
  [
    'Error: Head "http://host.docker.internal:11434/": dial tcp: lookup host.docker.internal on ' +
    "127.0.0.11:53: no such host",
  ],
  // https://github.com/hasura/hasura-actions-examples/issues/34
  ['could not translate host name "host.docker.internal" to address: Name or service not known'],
  // The words of https://github.com/AllenCell/cyto-dl/issues/312, for this name.
  [
    "mlflow.exceptions.MlflowException: API request failed with exception HTTPConnectionPool(" +
    "host='host.docker.internal', port=5000): Max retries exceeded (Caused by " +
    "NameResolutionError(\"Failed to resolve 'host.docker.internal' ([Errno -3] Temporary failure " +
    'in name resolution)"))',
  ],
  ["curl: (6) Could not resolve host: host.docker.internal"],
];

suite("machineNameHint", () => {
  const ASKED = { network: undefined, strict: false };

  for (const [words, output = ""] of UNRESOLVED) {
    it(`recognises a failed lookup of host.docker.internal: ${words.slice(0, 60)}`, () => {
      assertMatch(
        machineNameHint(words, output, ASKED) ?? "",
        /^Use an IP address of this machine: /,
      );
    });
  }

  for (
    const [asked, hint] of [
      [{ ...ASKED, strict: true }, /^Use an address that SageMaker can reach: /],
      [
        { ...ASKED, network: "none" },
        /^Use another network: a container with --network none cannot reach /,
      ],
      [
        { ...ASKED, network: "host" },
        /^Use 127\.0\.0\.1: with --network host, this address is your machine$/,
      ],
    ] as const
  ) {
    it(`names the fix for ${asked.strict ? "--strict" : `--network ${asked.network}`}`, () => {
      assertMatch(machineNameHint(UNRESOLVED[0]![0], UNRESOLVED[0]![1]!, asked) ?? "", hint);
    });
  }

  it("is undefined for another name and for another failure", () => {
    for (
      const [words, output] of [
        ["socket.gaierror: [Errno -2] Name or service not known", "connecting to algo-2"],
        [
          "socket.gaierror: [Errno -2] Name or service not known",
          "MLflow: http://host.docker.internal:5000\nTraceback (most recent call last):\n  algo-2\n" +
          "socket.gaierror: [Errno -2] Name or service not known\nhost.docker.internal",
        ],
        // The name resolves, and no service listens.
        // https://github.com/docker/for-win/issues/2402
        ["ConnectionRefusedError: [Errno 111] Connection refused", "host.docker.internal:5000"],
      ] as const
    ) assertEquals(machineNameHint(words, output, ASKED), undefined);
  });
});
