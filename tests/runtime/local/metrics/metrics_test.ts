import { assert, assertEquals } from "@std/assert";
import { Lines, Metrics } from "../../../../runtime/local/metrics/metrics.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { it, suite } from "../../../helpers/suite.ts";

const LINE = "loss=1\n";
const LINES = 20_000;

/** How many lines are looked at where Ctrl-C comes as soon as anything else has a turn. */
async function lookedAt(regex: string, controller = new AbortController()): Promise<number> {
  const context = fakeContext();
  const metrics = new Metrics([{ name: "loss", regex }], () => 0);
  assertEquals(metrics.unusable, []);
  setTimeout(() => controller.abort(), 0);
  const { out, end } = metrics.listen(context, controller.signal, () => {});
  await out.write(new TextEncoder().encode(LINE.repeat(LINES)));
  await end();
  assertEquals([context.out.text.length, controller.signal.aborted], [LINE.length * LINES, true]);
  return metrics.all[0]!.count;
}

suite("Metrics", () => {
  it("lets Ctrl-C be heard while it looks at lines, and then looks at few more", async () => {
    // Each line counts with all steps of the expression, though its second half is never tried.
    const count = await lookedAt("loss=(\\d+)|y{1000}y{1000}z");
    // 16 characters and 2,011 steps a line: a turn each 311, and 621 after that.
    assert(count < 2000, `${count}`);
  });

  it("looks at what a run still says of its metrics after Ctrl-C", async () => {
    const controller = new AbortController();
    controller.abort();
    assertEquals(await lookedAt("loss=(\\d+)", controller), LINES);
  });

  it("holds nothing up after that, however many lines still come", async () => {
    const context = fakeContext();
    const metrics = new Metrics([{ name: "loss", regex: "(y{1000}y{1000})" }], () => 0);
    const { out } = metrics.listen(context, AbortSignal.abort(), () => {});
    const flood = new TextEncoder().encode("a\r".repeat(8192));
    await out.write(flood);
    let hasTurned = false;
    const timer = setTimeout(() => hasTurned = true, 0);
    for (let count = 0; count < 10; count++) await out.write(flood);
    clearTimeout(timer);
    assertEquals([hasTurned, context.out.text.length], [false, 11 * flood.length]);
  });
});

function linesOf(pieces: readonly (string | Uint8Array)[]): string[] {
  const lines = new Lines();
  const heard = pieces.map((piece) => [
    ...lines.take(typeof piece === "string" ? new TextEncoder().encode(piece) : piece),
  ]);
  return [...heard.flat(), ...lines.end()];
}

suite("Lines", () => {
  const rows: readonly (readonly [
    name: string,
    pieces: readonly (string | Uint8Array)[],
    lines: readonly string[],
  ])[] = [
    ["whole", ["a\nb\n"], ["a", "b"]],
    ["in pieces", ["a", "b\nc", "\n", "d"], ["ab", "c", "d"]],
    ["of Windows", ["a\r", "\nb\r\n"], ["a", "b"]],
    ["of a progress bar", ["\r 10% loss=2", "\r 20% loss=1\n"], [" 10% loss=2", " 20% loss=1"]],
    ["in colour", ["\x1b[1mloss\x1b[0m=\x1b[32m1\x1b[39m\n"], ["loss=1"]],
    ["with a letter in two pieces", [new Uint8Array([0xc3]), new Uint8Array([0xa9, 10])], ["é"]],
    ["of bytes that are no text", [new Uint8Array([0xff, 0xfe, 10])], ["��"]],
    ["too long", ["x".repeat(3000), "x".repeat(3000), "\nok\n"], ["x".repeat(4096), "ok"]],
    ["none", ["\n\n\r"], []],
  ];
  for (const [name, pieces, lines] of rows) {
    it(name, () => assertEquals(linesOf(pieces), [...lines]));
  }
});
