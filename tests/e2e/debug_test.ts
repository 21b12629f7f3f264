import { assertEquals, assertStringIncludes } from "@std/assert";
import { freePort } from "../../runtime/serving/ports.ts";
import { makeApp, TRAINING_DATA } from "../helpers/app.ts";
import { Debugger } from "../helpers/debugger.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { buildTestImage, pipImage, removeImage, TEST_IMAGE } from "../helpers/engine.ts";
import { runProgram, startProgram } from "../helpers/program.ts";
import { itByPypi, PYPI_TIMEOUT } from "../helpers/pypi.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";
import { TextReader } from "../helpers/text_reader.ts";
import { endOf, untilReady } from "../helpers/waiting_run.ts";

const PAGE = new URL("../../docs/how-to/debug.md", import.meta.url);

/** Writes what the first program that connects sends into the model. */
const LISTENING = `import socket
def train(data, model):
    with socket.create_server(("0.0.0.0", 5678)) as server:
        print("ready", flush=True)
        connection, _ = server.accept()
        open(model + "/received", "wb").write(connection.recv(100))
        connection.sendall(b"hello")
        connection.close()
`;

suite("local train --publish", () => {
  beforeAll(buildTestImage);

  it("local train --publish lets a program of this machine reach the code on 127.0.0.1", async () => {
    await using app = await makeApp({
      configuration: { image_name: TEST_IMAGE },
      files: { "training/training.py": LISTENING, [TRAINING_DATA]: "1\n" },
    });
    const port = freePort();
    const args = ["local", "train", "--publish", `${port}:5678`];
    const run = await untilReady(app.start(args));
    const taken = await app.run(args);
    assertEquals(taken.code, 1);
    assertStringIncludes(taken.stderr, `error: Port already in use: ${port}\n`);
    {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      await connection.write(new TextEncoder().encode("attach"));
      assertEquals(await new Response(connection.readable).text(), "hello");
    }
    assertEquals((await endOf(run)).code, 0);
    assertEquals(await Deno.readTextFile(app.testPath("model/received")), "attach");
  });
});

/** Blocks of the page in this language. */
function blocksOf(page: string, language: string): readonly string[] {
  return [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].filter(([, found]) => found === language)
    .map(([, , block = ""]) => block);
}

suite("docs/how-to/debug.md", () => {
  itByPypi(
    "the lines of docs/how-to/debug.md let an editor stop at breakpoints and read variables",
    async () => {
      const page = await Deno.readTextFile(PAGE);
      await using directory = await makeDirectory();
      const name = `test-${crypto.randomUUID().slice(0, 8)}`;
      const options = { cwd: directory.path, timeout: PYPI_TIMEOUT };
      const done = async (...args: readonly string[]): Promise<void> => {
        const { code, stderr } = await runProgram(args, options);
        assertEquals(code, 0, stderr);
      };
      await done("init", name, "--base-image", pipImage(), "--region", "eu-west-1");
      await Deno.writeTextFile(`${directory.path}/requirements.txt`, "debugpy\n");
      const base = `${directory.path}/${name}/mlcli_base`;
      const file = `${base}/training/training.py`;
      const [preamble = ""] = blocksOf(page, "python");
      const code = preamble + await Deno.readTextFile(file);
      await Deno.writeTextFile(file, code);
      // Where to stop: in the app's code, and in the code that the roles share.
      const lineOf = (text: string, part: string) =>
        text.split("\n").findIndex((line) => line.includes(part)) + 1;
      const shared = `${base}/common/linear_model.py`;
      const stops = [
        { file, line: lineOf(code, "model = fit(") },
        { file: shared, line: lineOf(await Deno.readTextFile(shared), "return") },
      ];
      try {
        await done("build");
        const port = freePort();
        const [typed = ""] = blocksOf(page, "console");
        const [, line = ""] = /^\$ mlcli (.*)$/m.exec(typed) ?? [];
        const args = line.replace("--publish 5678", `--publish ${port}:5678`).split(" ");
        const child = startProgram(args, options);
        const stdout = new TextReader(child.stdout);
        await stdout.until(/Waiting for a debugger\n/);

        const [launch = ""] = blocksOf(page, "json");
        const { configurations: [configuration] } = JSON.parse(
          launch.replaceAll("${workspaceFolder}/flats", `${directory.path}/${name}`),
        );
        using editor = await Debugger.connect(port);
        await editor.ask("initialize", { adapterID: "debugpy", pathFormat: "path" });
        await editor.send("attach", configuration);
        await editor.event("initialized");
        for (const { file: path, line } of stops) {
          const { breakpoints } = await editor.ask("setBreakpoints", {
            ...{ source: { path }, breakpoints: [{ line }] },
          });
          assertEquals(breakpoints.map(({ verified }: { verified: boolean }) => verified), [true]);
        }
        await editor.ask("configurationDone");
        for (const [index, { file, line }] of stops.entries()) {
          const { threadId, reason } = await editor.event("stopped");
          const { stackFrames: [frame] } = await editor.ask("stackTrace", { threadId });
          assertEquals({ reason, path: frame.source.path, line: frame.line }, {
            ...{ reason: "breakpoint", path: file, line },
          });
          if (index === 0) {
            const request = { expression: "len(rows)", frameId: frame.id, context: "watch" };
            const { result } = await editor.ask("evaluate", request);
            assertEquals(Number(result) > 10, true, result);
          }
          await editor.ask("setBreakpoints", { source: { path: file }, breakpoints: [] });
          await editor.ask("continue", { threadId });
        }
        const { code: ended, stderr } = await endOf({ child, stdout });
        assertEquals(ended, 0, stderr);
      } finally {
        await removeImage(`${name}:latest`);
      }
    },
  );
});
