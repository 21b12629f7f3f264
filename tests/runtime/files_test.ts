import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { readTextFile } from "../../runtime/files.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { it, suite } from "../helpers/suite.ts";

const MIB = 1024 ** 2;

suite("readTextFile", () => {
  it("reads a file of the largest size, and links", async () => {
    await using directory = await makeDirectory({ file: "x".repeat(MIB), empty: "" });
    await Deno.symlink("file", join(directory.path, "link"));
    for (const [name, length] of [["file", MIB], ["link", MIB], ["empty", 0]] as const) {
      assertEquals((await readTextFile(join(directory.path, name), MIB)).length, length);
    }
  });

  it("says why it does not read", async () => {
    await using directory = await makeDirectory({ large: "x".repeat(MIB + 1), "folder/": "" });
    for (
      const [path, reason] of [
        [join(directory.path, "large"), "Is larger than 1 MiB"],
        [join(directory.path, "folder"), "Is a directory"],
        ["/dev/zero", "Is not a regular file"],
      ] as const
    ) {
      const error = await assertRejects(() => readTextFile(path, MIB), Error);
      assertEquals(error.message, reason);
    }
    const missing = join(directory.path, "missing");
    await assertRejects(() => readTextFile(missing, MIB), Deno.errors.NotFound);
  });
});
