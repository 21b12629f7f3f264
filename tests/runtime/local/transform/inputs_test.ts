import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { MlcliError } from "../../../../runtime/errors.ts";
import { inputsIn } from "../../../../runtime/local/transform/inputs.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("The input of a transform", () => {
  it("has the content of links, and names broken ones with their targets", async () => {
    await using directory = await makeDirectory({ "data/deep/b.csv": "2", "shared/a.csv": "1" });
    const [root, data] = [directory.path, join(directory.path, "data")];
    await Deno.symlink("../shared/a.csv", join(data, "a.csv"));
    await Deno.symlink("deep", join(data, "current"));
    await Deno.symlink("../gone.csv", join(data, "c.csv"));
    // https://github.com/skypilot-org/skypilot/issues/814
    await Deno.symlink(".", join(data, "round"));
    const { files, leftOut } = await inputsIn({ directory: root, boundary: root }, data);
    assertEquals(files.map(({ name, size }) => [name, size]), [
      ["a.csv", 1],
      ["current/b.csv", 1],
      ["deep/b.csv", 1],
    ]);
    assertEquals([...leftOut].sort(), [
      "data/c.csv points to ../gone.csv, which does not exist",
      `data/round forms a loop with ${data}`,
    ]);
  });

  // https://github.com/InertExpert2911/Mutual_Fund_Data/issues/1
  it("must not be a Git LFS pointer", async () => {
    const pointer = "version https://git-lfs.github.com/spec/v1\n" +
      `oid sha256:${"4d7a".repeat(16)}\nsize 12345\n`;
    await using directory = await makeDirectory({ "a.csv": pointer });
    const confined = { directory: directory.path, boundary: directory.path };
    const error = await assertRejects(
      () => inputsIn(confined, join(directory.path, "a.csv")),
      MlcliError,
    );
    assertEquals(error.message, "a.csv is a Git LFS pointer, not the file itself");
  });
});
