import { assertEquals } from "@std/assert";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { buildTestImage, TEST_IMAGE, untilNoContainers } from "../../helpers/engine.ts";
import { eventually } from "../../helpers/eventually.ts";
import { killedAfter, programCommand } from "../../helpers/program.ts";
import { beforeAll, it, suite } from "../../helpers/suite.ts";

/** What takes longer hangs, in ms: the grace of these runs is a second. */
const TIMEOUT = 40_000;

/** Writes for ever, to both streams, and ends by SIGTERM. */
const CODE = `
import os, signal, sys
def train(input_data_path, model_save_path):
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    while True:
        for stream in (sys.stdout, sys.stderr): stream.write("x" * 1000 + chr(10))
`;

/** Starts the program with streams in a pipe of one page that nobody reads, and that is never closed. */
function startUnread(app: TestApp, args: readonly string[], to: string): Deno.ChildProcess {
  const script = 'mkfifo "$0" && exec 3<>"$0" && head -c 61440 /dev/zero >&3 && exec "$@" ' + to;
  const command = new Deno.Command("sh", {
    args: ["-c", script, `${app.directory}/unread`, ...programCommand(args)],
    cwd: app.directory,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  return killedAfter(TIMEOUT, command.spawn());
}

/** Whether a thread of a process waits in `write` to standard output or standard error. */
async function isStuck({ pid }: Deno.ChildProcess): Promise<boolean> {
  for await (const { name } of Deno.readDir(`/proc/${pid}/task`)) {
    const path = `/proc/${pid}/task/${name}/syscall`;
    // The number of write(2), on x86_64 and on aarch64, and the stream's.
    if (/^(?:1|64) 0x[12] /.test(await Deno.readTextFile(path).catch(() => ""))) return true;
  }
  return false;
}

suite("output that nobody reads", () => {
  beforeAll(buildTestImage);

  const rows: readonly (readonly [args: readonly string[], to: string])[] = [
    [["local", "train", "--grace", "1"], ">&3"],
    [["local", "train", "--grace", "1"], ">&3 2>&3"],
    [["local", "train", "--help", "all"], ">&3 2>&3"],
  ];
  for (const [args, to] of rows) {
    it(`does not keep mlcli from ending at one Ctrl-C: ${args.join(" ")} ${to}`, async () => {
      await using app = await completeApp({
        configuration: { image_name: TEST_IMAGE },
        files: { "training/training.py": CODE },
      });
      const child = startUnread(app, args, to);
      // The other stream of a training is read.
      const read = [child.stdout, child.stderr].map((stream) =>
        stream.pipeTo(new WritableStream())
      );
      await eventually(() => isStuck(child));
      child.kill("SIGINT");
      assertEquals((await child.status).code, 130);
      await Promise.all(read);
      // The engine removes it, and may still be at it.
      await untilNoContainers(app.name);
    });
  }
});
