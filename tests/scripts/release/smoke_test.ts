import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { knowsPipes } from "../../../runtime/docker/connect.ts";
import { makeDirectory, namesIn } from "../../helpers/directory.ts";
import { fakeEngine, pong, refusal } from "../../helpers/fake_engine.ts";
import { programCommand } from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";

const SCRIPT = fromFileUrl(new URL("../../../scripts/release/smoke.sh", import.meta.url));

/** Runs the script on a program in shell, `main` its body. */
async function smoke(
  engine: string,
  main: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly output: string; readonly left: readonly string[] }> {
  await using home = await makeDirectory();
  const program = join(home.path, "mlcli");
  await Deno.writeTextFile(program, `#!/bin/sh\n${main}\n`, { mode: 0o755 });
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: [SCRIPT, engine, program],
    env: { RUNNER_TEMP: home.path, ...env },
  }).output();
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const left = await namesIn(home.path);
  return { code, output, left };
}

/** The program under test, for the shell. */
const PROGRAM = `exec ${programCommand([]).map((word) => `'${word}'`).join(" ")} "$@"`;

// Windows has Git's Bash, and no unix sockets.
if (Deno.build.os !== "windows") {
  suite("the first run of a binary", () => {
    it("tells that there is no engine", async () => {
      const { code, output, left } = await smoke("none", PROGRAM, {
        DOCKER_HOST: "unix:///nowhere/docker.sock",
      });
      assertStringIncludes(output, "\nAll 7 steps did what they should.\n");
      assertStringIncludes(
        output,
        "err:   unix:///nowhere/docker.sock (DOCKER_HOST): no such socket",
      );
      assertEquals([code, left], [0, ["mlcli"]]);
    });

    it("tells that the engine runs Windows containers", async () => {
      const answer = () => {
        const ping = pong("1.44");
        ping.headers.set("Ostype", "windows");
        return ping;
      };
      await using fake = await fakeEngine({
        "GET /_ping": answer,
        // Docker's own program, where there is one that knows this kind of address.
        "HEAD /_ping": answer,
        "GET /version": () => refusal(500, "not now"),
      });
      const { code, output } = await smoke("windows", PROGRAM, {
        DOCKER_HOST: `${knowsPipes() ? "npipe" : "unix"}://${fake.socket}`,
        PATH: "/usr/bin:/bin",
      });
      assertStringIncludes(output, "(DOCKER_HOST): it runs Windows containers");
      assertStringIncludes(output, "\nAll 7 steps did what they should.\n");
      assertEquals(code, 0);
    });

    it("goes on after what fails, shows all of it, and says in the end what failed", async () => {
      const { code, output } = await smoke(
        "none",
        'echo "mlcli 1.2.3 of $1"; echo why >&2; [ "$1" != init ] || exit 7',
      );
      assertEquals(code, 1);
      assertStringIncludes(
        output,
        "\n== 5: mlcli init mlcli-smoke-",
      );
      assertMatch(output, / {2}out: mlcli 1\.2\.3 of init\n {2}err: why\n {2}exit status 7\n!! /);
      const summary = output.slice(output.indexOf("things went wrong in 7 steps:\n"));
      assertMatch(summary, /\n {2}2: mlcli --help: does not say: Usage: mlcli\n/);
      assertMatch(summary, /\n {2}5: mlcli init mlcli-smoke-\d+: exit status 7, not 0\n/);
      assertMatch(summary, /\n {2}7: mlcli local train: exit status 0, not 1\n/);
    });

    it("asks for what it needs", async () => {
      const { code, output } = await smoke("linus", "exit 0");
      assertEquals([code, output], [2, "usage: smoke.sh linux|windows|none BINARY\n"]);
    });
  });
}
