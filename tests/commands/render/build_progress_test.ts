import { assertEquals } from "@std/assert";
import { buildProgress } from "../../../commands/render/build_progress.ts";
import type { BuildEvent } from "../../../runtime/image/build_events.ts";
import { fakeContext } from "../../helpers/fake_context.ts";
import { it, suite } from "../../helpers/suite.ts";

function running(id: string, name: string): BuildEvent {
  return { kind: "step", id, name, state: "running" };
}

suite("the progress of a build", () => {
  it("is each step and its output in a pipe", () => {
    const { err } = fakeContext();
    {
      using progress = buildProgress(err);
      progress.onEvent(running("1", "[1/2] FROM a"));
      progress.onEvent({ kind: "step", id: "1", name: "[1/2] FROM a", state: "cached" });
      progress.onEvent(running("2", "[2/2] RUN b"));
      progress.onEvent({ kind: "log", id: "2", text: "one\ntwo\n" });
      progress.onEvent({ kind: "step", id: "2", name: "[2/2] RUN b", state: "done" });
      progress.onEvent({ kind: "warning", text: "old" });
    }
    assertEquals(
      err.text,
      "[1/2] FROM a\n[1/2] FROM a: cached\n[2/2] RUN b\none\ntwo\nwarning: old\n",
    );
  });

  it("is a line on a terminal", () => {
    const { err } = fakeContext({ isTerminal: true });
    using progress = buildProgress(err);
    progress.onEvent(running("1", "[1/2] FROM a"));
    progress.onEvent({ kind: "log", id: "1", text: "one\n" });
    progress.done();
    assertEquals(
      err.text,
      "\r[1/2] FROM a\x1b[K\r[1/2] FROM a | one\x1b[K\r\x1b[K",
    );
  });

  it("that fails on a terminal is the output of the last step", () => {
    const { err } = fakeContext({ isTerminal: true });
    {
      using progress = buildProgress(err);
      progress.onEvent(running("1", "[1/2] FROM a"));
      progress.onEvent({ kind: "log", id: "1", text: "first\n" });
      progress.onEvent(running("2", "[2/2] RUN b"));
      progress.onEvent({ kind: "log", id: "2", text: "no such file\n" });
    }
    assertEquals(err.text.split("\x1b[K").at(-1), "[2/2] RUN b\nno such file\n");
  });

  for (
    const [paths, note] of [
      [[], ""],
      [
        [".env"],
        "Left out of the image as private: .env. !PATH in .dockerignore brings one back.\n",
      ],
      [
        ["a", "b", "c", "d\n", "e", "f", "g"],
        "Left out of the image as private: a, b, c, d?, e, and 2 more. " +
        "!PATH in .dockerignore brings one back.\n",
      ],
    ] as const
  ) {
    it(`names ${paths.length} files that are left out`, () => {
      const { err } = fakeContext();
      using progress = buildProgress(err);
      progress.onLeftOut(paths);
      assertEquals(err.text, note);
    });
  }
});
