import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { baseImage, removeImage } from "../helpers/engine.ts";
import { programCommand } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

const SCRIPT = fromFileUrl(new URL("../../scripts/release/smoke.sh", import.meta.url));

suite("the first run of a binary", () => {
  it("goes from an empty directory to an answer, and leaves nothing", async () => {
    const home = await Deno.makeTempDir({ prefix: "mlcli-test-" });
    try {
      const program = join(home, "mlcli");
      const words = programCommand([]).map((word) => `'${word}'`).join(" ");
      await Deno.writeTextFile(program, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
      const { code, stdout } = await new Deno.Command("bash", {
        args: [SCRIPT, "linux", program],
        env: { RUNNER_TEMP: home, MLCLI_SMOKE_BASE_IMAGE: baseImage() },
      }).output();
      const output = new TextDecoder().decode(stdout);
      assertStringIncludes(output, "\nAll 15 steps did what they should.\n", output);
      assertEquals(code, 0);
      assertEquals([...Deno.readDirSync(home)].map(({ name }) => name), ["mlcli"]);
      const [image = ""] = /mlcli-smoke-\d+/.exec(output) ?? [];
      await removeImage(`${image}:latest`); // where there is no docker command
    } finally {
      await Deno.remove(home, { recursive: true });
    }
  });
});
