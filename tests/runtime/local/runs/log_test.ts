import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { RunLog } from "../../../../runtime/local/runs/log.ts";
import { makeDirectory, namesIn } from "../../../helpers/directory.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { it, suite } from "../../../helpers/suite.ts";

type Written = readonly (readonly [stream: "out" | "err", text: string])[];

/** What is kept of these writes, and what comes of the streams. */
async function logOf(written: Written, first?: number, last?: number) {
  await using directory = await makeDirectory();
  const path = join(directory.path, "log");
  const failures: unknown[] = [];
  const log = new RunLog(path, (error) => failures.push(error), first, last);
  const context = fakeContext();
  const streams = log.of(context);
  for (const [stream, text] of written) {
    await streams[stream].write(new TextEncoder().encode(text));
  }
  log.end();
  assertEquals(failures, []);
  const [name] = await namesIn(directory.path);
  return {
    text: name && await Deno.readTextFile(path),
    out: context.out.text,
    err: context.err.text,
  };
}

suite("the log of a run", () => {
  const rows: readonly (readonly [title: string, Written, text: string | undefined])[] = [
    ["is not made where nothing is written", [["out", ""]], undefined],
    [
      "says of each line to which stream it went",
      [["out", "a\nb\n"], ["err", "c\n"]],
      [
        ..."out a\nout b\nerr c\n",
      ].join(""),
    ],
    ["marks a line once that comes in pieces", [["out", "a"], ["out", "b\n"]], "out ab\n"],
    [
      "ends a line into which the other stream writes",
      [["out", "a"], ["err", "b"], ["out", "c"]],
      [
        ..."out a\nerr b\nout c\n",
      ].join(""),
    ],
    ["keeps empty lines", [["err", "\n\na\n"]], "err \nerr \nerr a\n"],
  ];
  for (const [title, written, text] of rows) {
    it(title, async () => {
      const found = await logOf(written);
      assertEquals(found.text, text);
      const of = (stream: string) =>
        written.filter(([one]) => one === stream).map(([, text]) => text).join("");
      assertEquals([found.out, found.err], [of("out"), of("err")]);
    });
  }

  it("keeps the beginning and the end of much, whatever the pieces are", async () => {
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index}\n`);
    const all = lines.map((line) => `out ${line}`).join("");
    for (const size of [1, 7, 64, 1_000, 100_000]) {
      const text = lines.join("");
      const pieces: Written = Array.from(
        { length: Math.ceil(text.length / size) },
        (_, index) => ["out", text.slice(index * size, (index + 1) * size)] as const,
      );
      const found = await logOf(pieces, 100, 300);
      const left = all.length - 400;
      const note = `\n... ${left} bytes omitted ...\n`;
      assertEquals(found.text, all.slice(0, 100) + note + all.slice(-300), `${size}`);
    }
  });

  it("is whole up to its limit", async () => {
    assertEquals((await logOf([["out", "a".repeat(20)]], 10, 15)).text, `out ${"a".repeat(20)}\n`);
  });

  it("says once that it cannot be written, and the streams go on", async () => {
    const failures: unknown[] = [];
    const log = new RunLog("/nowhere/log", (error) => failures.push(error));
    const context = fakeContext();
    const { out } = log.of(context);
    for (const text of ["a\n", "b\n"]) await out.write(new TextEncoder().encode(text));
    log.end();
    assertEquals([failures.length, context.out.text], [1, "a\nb\n"]);
  });
});
