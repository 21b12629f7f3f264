import { assertEquals, assertMatch } from "@std/assert";
import { fullDiskHint } from "../../../runtime/local/failure.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { MAY_MOUNT, smallDisk } from "../../helpers/small_disk.ts";
import { it, suite } from "../../helpers/suite.ts";

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
