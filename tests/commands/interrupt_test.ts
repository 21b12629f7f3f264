import { assertEquals } from "@std/assert";
import { completeApp } from "../helpers/app.ts";
import { type Answers, fakeEngine, never, pong } from "../helpers/fake_engine.ts";
import { type ProgramResult, resultOf } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";
import { TextReader } from "../helpers/text_reader.ts";

/** Starts a command on an engine that hangs at a call, and sends a signal once it was asked. */
async function interruptAt(
  hanging: string,
  args: readonly string[],
  ...signals: readonly Deno.Signal[]
): Promise<ProgramResult> {
  await using app = await completeApp();
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const answers: Answers = {
    "GET /_ping": () => pong("1.41"),
    [hanging]: (request, released) => {
      resolve();
      return never(request, released);
    },
  };
  await using engine = await fakeEngine(answers);
  const child = app.start(args, { env: { DOCKER_HOST: `unix://${engine.socket}` } });
  const result = resultOf(child);
  // It may end, wrongly, without having asked.
  await Promise.race([asked, result]);
  for (const signal of signals) child.kill(signal);
  return await result;
}

suite("Ctrl-C while the engine hangs", () => {
  for (
    const args of [
      ["local", "train"],
      ["local", "deploy", "--port", "0"],
      ["local", "status"],
      ["local", "stop"],
      ["build"],
      ["doctor"],
    ]
  ) {
    it(`ends the search for one: mlcli ${args.join(" ")}`, async () => {
      const { code, stderr } = await interruptAt("GET /_ping", args, "SIGINT");
      assertEquals({ code, stderr }, { code: 130, stderr: "" });
    });
  }

  for (const [signal, code] of [["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    it(`(${signal}) ends the search for one with the signal's status`, async () => {
      assertEquals(await interruptAt("GET /_ping", ["local", "train"], signal), {
        code,
        stdout: "",
        stderr: "",
      });
    });
  }
});

suite("the third signal", () => {
  it("ends mlcli though the engine never answers", async () => {
    // Three different ones: the same twice may arrive as one.
    const { code, stdout, stderr } = await interruptAt(
      "GET /containers/json",
      ["local", "status"],
      "SIGINT",
      "SIGTERM",
      "SIGHUP",
    );
    assertEquals({ stdout, stderr }, { stdout: "", stderr: "" });
    assertEquals([129, 130, 143].includes(code), true, String(code));
  });
});

suite("Ctrl-C in mlcli local invoke", () => {
  it("ends it, though standard input is open", async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    await using app = await completeApp();
    const child = app.start(["local", "invoke", "--port", String(listener.addr.port)], {
      stdin: "piped",
      env: { DOCKER_HOST: "unix:///nonexistent.sock" },
    });
    // It asks for input on a terminal alone, and says nothing that the test could wait for: the
    // first piece of a body is taken when it reads.
    const writer = child.stdin.getWriter();
    await writer.write(new Uint8Array(2 * 1024 ** 2));
    child.kill("SIGINT");
    const stderr = new TextReader(child.stderr);
    assertEquals(await stderr.toEnd(), "");
    assertEquals((await child.status).code, 130);
    await child.stdout.cancel();
    await writer.close().catch(() => {});
  });
});
