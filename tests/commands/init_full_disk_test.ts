import { assertEquals } from "@std/assert";
import { contentOf } from "../helpers/directory.ts";
import { assertSaysNoRoom, moments } from "../helpers/full_disk.ts";
import { runInProcess } from "../helpers/in_process.ts";
import { MAY_MOUNT, smallDisk } from "../helpers/small_disk.ts";
import { it, suite } from "../helpers/suite.ts";

// Root alone can mount a disk.
if (MAY_MOUNT) {
  suite("mlcli init on a full disk makes whole files, and once more makes the rest", () => {
    const init = (cwd: string) =>
      runInProcess(["init", "demo", "--base-image", "python:3.12"], { cwd });

    for (const { title, room } of moments({ blocks: 23, files: 33 })) {
      it(title, async () => {
        await using disk = await smallDisk();
        await using other = await smallDisk();
        assertEquals((await init(other.path)).code, 0);
        const whole = await contentOf(other.path);
        await disk.leave(room);
        const result = await init(disk.path);
        if (result.code !== 0) {
          assertSaysNoRoom(result, disk);
          // What there is, is whole, and nothing else.
          for (const [path, content] of Object.entries(await contentOf(disk.path))) {
            assertEquals(content, whole[path], path);
          }
          await disk.leave({});
          const { code, stderr } = await init(disk.path);
          assertEquals([code, stderr.includes("is kept as it was")], [0, false], stderr);
        }
        assertEquals(await contentOf(disk.path), whole);
      });
    }
  });
}
