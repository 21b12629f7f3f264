import { assert, assertEquals, assertRejects } from "@std/assert";
import { removeTreeIfThere } from "../../../runtime/files.ts";
import { withLock } from "../../../scripts/engine/cache.ts";
import { afterEach, beforeEach, it, suite } from "../../helpers/suite.ts";

const never = new AbortController().signal;

suite("Scripts: a lock", () => {
  let directory = "";
  beforeEach(async () => {
    directory = await Deno.makeTempDir({ prefix: "mlcli-test-" });
  });
  afterEach(() => removeTreeIfThere(directory));

  it("keeps a second process out until the first one ends", async () => {
    const path = `${directory}/lock`;
    await Deno.writeTextFile(path, "");
    const holder = new Deno.Command("flock", {
      args: [path, "sh", "-c", "echo held; read line"],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const reader = holder.stdout.getReader();
    await reader.read();
    let entered = false;
    const work = withLock(path, { timeout: 10_000, signal: never }, () => {
      entered = true;
      return Promise.resolve("done");
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert(!entered, "Entered while another process held the lock");
    await holder.stdin.close();
    assertEquals(await work, "done");
    await reader.cancel();
    await holder.status;
  });

  it("is free again after work that failed", async () => {
    const path = `${directory}/lock`;
    const limits = { timeout: 10_000, signal: never };
    await assertRejects(
      () => withLock(path, limits, () => Promise.reject(new Error("broken"))),
      Error,
      "broken",
    );
    assertEquals(await withLock(path, limits, () => Promise.resolve("done")), "done");
  });
});
