import { assertEquals, assertRejects } from "@std/assert";
import { join, relative as relativePath } from "@std/path";
import { isRemembered, remember } from "../../../runtime/app/state.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("what mlcli remembers for a person", () => {
  it("is of a directory wherever links lead, and nobody else's to read", async () => {
    await using directory = await makeDirectory({ "a/x": "", "b/x": "" });
    const link = join(directory.path, "to-a");
    await Deno.symlink(join(directory.path, "a"), link);
    const home = join(directory.path, "home");
    const env = (name: string) => name === "HOME" ? home : undefined;
    const of = (path: string, name = "one") => ({
      directory: join(directory.path, path),
      kind: "endpoints" as const,
      name,
    });
    await remember(of("to-a"), env);
    await remember(of("a", "two"), env);
    await remember(of("a", "two"), env);
    const known = [of("a"), of("to-a", "two"), of("b"), of("a", "tw")];
    assertEquals(
      await Promise.all(known.map((one) => isRemembered(one, env))),
      [true, true, false, false],
    );
    const path = join(home, ".local/state/mlcli");
    assertEquals(await Array.fromAsync(Deno.readDir(path), ({ name }) => name), ["state.json"]);
    const modes = await Promise.all(
      [path, join(path, "state.json")].map(async (one) => (await Deno.stat(one)).mode! & 0o777),
    );
    assertEquals(modes, [0o700, 0o600]);
  });

  it("is not where a relative path leads: that may be the repository", async () => {
    await using directory = await makeDirectory({ "x": "" });
    const what = { directory: directory.path, kind: "endpoints" as const, name: "one" };
    const relative = relativePath(Deno.cwd(), directory.path);
    for (const name of ["XDG_STATE_HOME", "LOCALAPPDATA", "HOME"]) {
      const env = (one: string) => one === name ? relative : undefined;
      await assertRejects(() => remember(what, env), Error, "Neither XDG_STATE_HOME nor HOME");
    }
  });

  it("keeps what else is in the file, of the last 500 directories", async () => {
    await using directory = await makeDirectory({ "state/mlcli/state.json": "" });
    const path = join(directory.path, "state/mlcli/state.json");
    const own = await Deno.realPath(directory.path);
    const before = Array.from({ length: 600 }, (_, index) => [`/d${index}`, {}]);
    const other = { images: ["one"] };
    await Deno.writeTextFile(path, JSON.stringify(Object.fromEntries([[own, other], ...before])));
    const env = (name: string) => name === "XDG_STATE_HOME" ? join(own, "state") : undefined;
    await remember({ directory: own, kind: "endpoints", name: "shop" }, env);
    const after = Object.entries(JSON.parse(await Deno.readTextFile(path)));
    assertEquals(after.at(-1), [own, { ...other, endpoints: ["shop"] }]);
    assertEquals([after.length, after[0]![0]], [500, "/d101"]);
  });
});
