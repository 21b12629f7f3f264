import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { codeHint, fullDiskHint, permissionHint } from "../../../runtime/local/failure.ts";
import { it, suite } from "../../helpers/suite.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { MAY_MOUNT, smallDisk } from "../../helpers/small_disk.ts";

const APP = {
  name: "demo",
  directory: "/apps",
  boundary: "/apps",
  base: "/apps/demo/mlcli_base",
} as never;

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
      `Has the file another name? It is ${file} that runs.`,
    );
    assertEquals(codeHint("FileNotFoundError: training.py", APP), undefined);
  });
});

suite("fullDiskHint", () => {
  for (
    const [words, hint] of [
      ["OSError: [Errno 28] No space left on device: '/opt/ml/model/m'", "disk that holds the app"],
      ["OSError: [Errno 122] Disk quota exceeded: '/opt/ml/output/x'", "disk that holds the app"],
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
      assertMatch(await hint(), /^The disk that holds the app has room\. /);
      for (const room of [{ blocks: 0 }, { files: 0 }]) {
        await disk.leave(room);
        assertMatch(await hint(), /^The disk that holds the app is full: /);
      }
    });
  }
});
