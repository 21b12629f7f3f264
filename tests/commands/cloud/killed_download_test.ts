import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Box } from "../../helpers/box/box.ts";
import { makeDirectory, namesIn, type TestDirectory } from "../../helpers/directory.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";
import { tarGz } from "../../helpers/tar.ts";

const BUCKET = "data-bucket";

/** A platform with a model, and a directory in which `download-model --to new` runs. */
interface Place extends AsyncDisposable {
  readonly directory: TestDirectory;
  download(): Promise<ProgramResult>;
  /** Names in a directory below that one, sorted. */
  names(path: string): Promise<readonly string[]>;
}

/** No process has this number. */
const OWNER = `4194305 ${Deno.hostname()}`;

/** @param files what is there before. */
async function place(files: Readonly<Record<string, string>>): Promise<Place> {
  await using stack = new AsyncDisposableStack();
  const box = stack.use(await Box.open());
  box.s3.createBucket(BUCKET);
  await box.s3.put(
    BUCKET,
    "m/model.tar.gz",
    await tarGz([{ name: "weights.bin", content: "new" }]),
  );
  const directory = stack.use(await makeDirectory(files));
  const owned = stack.move();
  return {
    directory,
    download: () =>
      runInProcess(["download-model", `s3://${BUCKET}/m/model.tar.gz`, "--to", "new"], {
        cwd: directory.path,
        cloud: box.env(),
      }),
    names: (path) => namesIn(join(directory.path, path)),
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

suite("download-model --to, after one that was killed", () => {
  for (const [what, where] of [["beside a new directory", "."], ["in an empty one", "new"]]) {
    it(`removes what that left ${what}`, async () => {
      await using at = await place({
        [`${where}/.mlcli-download-0a1b2c3d/owner`]: OWNER,
        [`${where}/.mlcli-download-0a1b2c3d/model.tar.gz`]: "half",
      });
      const { code, stdout, stderr } = await at.download();
      assertEquals([code, stdout], [0, "new\n"], stderr);
      assertEquals([await at.names("."), await at.names("new")], [["new"], ["weights.bin"]]);
    });
  }

  it("leaves alone what another mlcli works in", async () => {
    const owner = `${Deno.pid} ${Deno.hostname()}`;
    await using at = await place({ ".mlcli-download-0a1b2c3d/owner": owner });
    assertEquals((await at.download()).code, 0);
    assertEquals(await at.names("."), [".mlcli-download-0a1b2c3d", "new"]);
  });

  it("puts the rest of a model in place where only half was moved", async () => {
    await using at = await place({
      "new/.mlcli-download-0a1b2c3d/owner": OWNER,
      "new/.mlcli-download-0a1b2c3d/whole/b": "second",
      "new/a": "first",
    });
    const { code, stderr } = await at.download();
    assertEquals([code, stderr], [
      1,
      "error: Directory new is not empty\nhint: Use it: mlcli has just completed an interrupted " +
      "download in it. For another, change --to.\n",
    ]);
    assertEquals(await at.names("new"), ["a", "b"]);
  });
});
