import { join } from "@std/path";
import { assertEquals } from "@std/assert";
import { extract } from "tar-stream";
import { buildContext } from "../../../runtime/image/build_context.ts";
import { findApp } from "../../../runtime/app/app.ts";
import { makeDirectory, type TestDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

/** The least that can be built. */
const APP = {
  "demo.json": "{}",
  "requirements.txt": "",
  "demo/mlcli_base/Dockerfile": "FROM x\n",
  "demo/mlcli_base/training/training.py": "",
};

/** Type and mode of each entry of the app's context, those of the harness apart. */
async function modesOf(directory: TestDirectory): Promise<Record<string, string>> {
  const unpacker = extract();
  const feeding = (async () => {
    const context = await buildContext(await findApp(directory.path, "demo"));
    for await (const bytes of context) unpacker.write(bytes);
    unpacker.end(undefined);
  })();
  feeding.catch((error) => unpacker.destroy(error));
  const modes: Record<string, string> = {};
  for await (const entry of unpacker) {
    const { name, type, mode, uid, gid } = entry.header;
    assertEquals([uid, gid], [0, 0], name);
    if (!name.startsWith(".mlcli/")) modes[name] = `${type} ${mode!.toString(8)}`;
    entry.resume();
  }
  await feeding;
  return modes;
}

// Windows has no such bits: there everything gets what Docker gives it.
if (Deno.build.os !== "windows") {
  suite("buildContext: mode bits", () => {
    it("sends those of files and directories as they are", async () => {
      await using directory = await makeDirectory({
        ...APP,
        ".dockerignore": "",
        "demo/secret": "",
        "demo/everyones": "",
        "demo/setuid": "",
        "demo/setgid": "",
        "demo/own/": "",
        "demo/sticky/": "",
        "demo/shared/a": "",
      });
      const modes: Readonly<Record<string, number>> = {
        ".dockerignore": 0o640,
        "requirements.txt": 0o600,
        "demo/mlcli_base": 0o775,
        "demo/mlcli_base/Dockerfile": 0o444,
        "demo/mlcli_base/training": 0o711,
        "demo/mlcli_base/training/training.py": 0o751,
        "demo/secret": 0o600,
        "demo/everyones": 0o777,
        "demo/setuid": 0o4755,
        "demo/setgid": 0o2755,
        "demo/own": 0o700,
        "demo/sticky": 0o1777,
        "demo/shared": 0o2770,
        "demo/shared/a": 0o400,
      };
      // After the files that were made for them, so that no umask counts.
      for (const [path, mode] of Object.entries(modes)) {
        await Deno.chmod(join(directory.path, path), mode);
      }
      await Deno.symlink("secret", join(directory.path, "demo/link"));
      const folders = ["mlcli_base", "mlcli_base/training", "own", "sticky", "shared"]
        .map((folder) => `demo/${folder}`);
      assertEquals(await modesOf(directory), {
        ...Object.fromEntries(
          Object.entries(modes).map(([path, mode]) => [
            path,
            `${folders.includes(path) ? "directory" : "file"} ${mode.toString(8)}`,
          ]),
        ),
        "demo/link": "symlink 777",
        ".mlcli-build": "directory 755",
        // Not there.
        "demo/mlcli_base/common": "directory 755",
        "demo/mlcli_base/prediction": "directory 755",
        "demo/mlcli_base/processing": "directory 755",
      });
    });

    it("gives all of it to somebody else where it is asked to", async () => {
      await using directory = await makeDirectory({ ...APP, "demo/a/b": "" });
      await Deno.symlink("a", join(directory.path, "demo/link"));
      const owner = { uid: 231_072, gid: 231_073 };
      const app = await findApp(directory.path, "demo");
      const unpacker = extract();
      const context = await buildContext(app, undefined, { owner: () => Promise.resolve(owner) });
      const feeding = (async () => {
        for await (const bytes of context) unpacker.write(bytes);
        unpacker.end(undefined);
      })();
      const owners = new Set<string>();
      for await (const entry of unpacker) {
        owners.add(`${entry.header.type} ${entry.header.uid}:${entry.header.gid}`);
        entry.resume();
      }
      await feeding;
      assertEquals([...owners].toSorted(), [
        "directory 231072:231073",
        "file 231072:231073",
        "symlink 231072:231073",
      ]);
    });

    it("sends those of the file that a requirements file is a link to", async () => {
      await using directory = await makeDirectory({
        ...APP,
        "demo.json": JSON.stringify({ requirements: "link.txt" }),
      });
      await Deno.chmod(join(directory.path, "requirements.txt"), 0o640);
      await Deno.symlink("requirements.txt", join(directory.path, "link.txt"));
      assertEquals((await modesOf(directory))["link.txt"], "file 640");
    });
  });
}
