import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { MlcliError } from "../../../../runtime/errors.ts";
import {
  networkFolderOf,
  removeUnpacked,
  servedModel,
} from "../../../../runtime/local/server/served_model.ts";
import { packCode } from "../../../../runtime/source/source.ts";
import { appObject } from "../../../helpers/app_object.ts";
import { makeDirectory, namesIn } from "../../../helpers/directory.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** Creates a view of a model with code, in its own directory. */
async function view(files: Readonly<Record<string, string>>, model?: string) {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await makeDirectory({ ...files, "src/inference.py": "1" }));
  const layout = appObject(place.path, "churn").paths;
  const source = { path: join(place.path, "src"), shown: "src", boundary: place.path };
  const { messages, err } = fakeContext();
  const code = await packCode([{ source }], "inference.py", messages);
  const { signal } = new AbortController();
  const at = model ?? join(place.path, "model");
  const made = () => servedModel(layout, at, "server", code, messages, signal);
  const all = stack.move();
  return { layout, err, made, model: at, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

suite("the view of a model with code beside it", () => {
  it("a served model leaves out files that might contain secrets, and a note names them", async () => {
    await using place = await view({ "model/m": "7", "model/.env": "SECRET=1" });
    const folder = await place.made();
    assertEquals(await namesIn(folder), ["code", "m"]);
    assertMatch(place.err.text, /^note: Not served because they might contain secrets: .*\n$/);
  });

  it("is a copy where the model lies on another file system", async () => {
    // On a machine without /dev/shm, the files are hard links.
    const other = await Deno.stat("/dev/shm").catch(() => undefined);
    const model = await Deno.makeTempDir(other ? { dir: "/dev/shm" } : {});
    try {
      await Deno.writeTextFile(join(model, "m"), "7");
      await using place = await view({}, model);
      const folder = await place.made();
      assertEquals(await Deno.readTextFile(join(folder, "m")), "7");
    } finally {
      await Deno.remove(model, { recursive: true });
    }
  });

  it("goes with the server, and what pip was given goes, too", async () => {
    await using place = await view({ "model/m": "7" });
    const modelFolder = await place.made();
    await Deno.mkdir(networkFolderOf(modelFolder));
    await Deno.writeTextFile(join(networkFolderOf(modelFolder), "netrc"), "");
    await removeUnpacked({ modelFolder });
    assertEquals(await namesIn(join(place.layout.jobs)).catch(() => []), [".gitignore"]);
    assertEquals(await Deno.readTextFile(join(place.model, "m")), "7");
  });

  it("is not left where it cannot be made", async () => {
    await using place = await view({ "model/a": "7", "model/code/x": "1" });
    await Deno.symlink("/nowhere", join(place.model, "z"));
    await assertRejects(place.made, MlcliError, "model/z points to /nowhere, which does not exist");
    await Deno.remove(join(place.model, "z"));
    // Names that differ by their case alone are one on some machines: nothing is written over.
    await using other = await view({ "model/a": "7" });
    const folder = await other.made();
    await Deno.writeTextFile(join(folder, "code/inference.py"), "changed");
    assertEquals(await namesIn(join(place.layout.jobs, ".unpacked")).catch(() => []), []);
  });
});
