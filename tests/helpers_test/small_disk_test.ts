import { join } from "@std/path";
import { MAY_MOUNT, smallDisk } from "../helpers/small_disk.ts";
import { it, suite } from "../helpers/suite.ts";

if (MAY_MOUNT) {
  suite("a small disk", () => {
    it("has the room that was named last, however closely the calls follow one another", async () => {
      await using disk = await smallDisk();
      for (let row = 0; row < 20; row++) {
        await Promise.all([disk.leave({ files: 0 }), disk.leave({})]);
        await Deno.mkdir(join(disk.path, `${row}`));
      }
    });
  });
}
