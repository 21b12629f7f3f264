import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { knowsPipes } from "../../runtime/docker/connect.ts";
import { makeDirectory, namesIn } from "../helpers/directory.ts";
import { baseImage, containersOf, removeImage, withEngine } from "../helpers/engine.ts";
import { programCommand } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

const SCRIPT = fromFileUrl(new URL("../../scripts/release/smoke.sh", import.meta.url));

suite("the first run of a binary", () => {
  // The engine's socket is spoken to as a named pipe of Windows is: see runtime/docker/pipe.ts.
  it("goes from an empty directory to an answer, over a pipe, and leaves nothing", async () => {
    await using home = await makeDirectory();
    const program = join(home.path, "mlcli");
    const words = programCommand([]).map((word) => `'${word}'`).join(" ");
    await Deno.writeTextFile(program, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
    const address = await withEngine((engine) => Promise.resolve(engine.address));
    const { code, stdout } = await new Deno.Command("bash", {
      args: [SCRIPT, "linux", program],
      env: {
        RUNNER_TEMP: home.path,
        MLCLI_SMOKE_BASE_IMAGE: baseImage(),
        DOCKER_HOST: knowsPipes() ? address.replace(/^unix:/, "npipe:") : address,
      },
    }).output();
    const output = new TextDecoder().decode(stdout);
    const [, app = ""] = /mlcli init (mlcli-smoke-\d+)/.exec(output) ?? [];
    await removeImage(`${app}:latest`); // where the script has no docker command for it
    assertStringIncludes(output, "\nAll 15 steps did what they should.\n", output);
    assertEquals([code, await containersOf(app)], [0, []]);
    assertEquals(await namesIn(home.path), ["mlcli"]);
  });
});
