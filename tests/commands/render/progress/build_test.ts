import { assertEquals } from "@std/assert";
import { buildProgress } from "../../../../commands/render/progress/build.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("the progress of a build", () => {
  it("is the whole output in a pipe", () => {
    const { err } = fakeContext();
    {
      using progress = buildProgress(err);
      progress.onOutput("Step 1/2 : FROM a\n");
      progress.onOutput(" ---> 1\n");
    }
    assertEquals(err.text, "Step 1/2 : FROM a\n ---> 1\n");
  });

  it("is a line on a terminal", () => {
    const { err } = fakeContext({ isTerminal: true });
    using progress = buildProgress(err);
    progress.onOutput("Step 1/2 : FROM a\n");
    progress.onOutput(" ---> 1\n");
    progress.done();
    assertEquals(
      err.text,
      "\rStep 1/2 : FROM a\x1b[K\rStep 1/2 : FROM a | ---> 1\x1b[K\r\x1b[K",
    );
  });

  it("that fails on a terminal is the output of the last step", () => {
    const { err } = fakeContext({ isTerminal: true });
    {
      using progress = buildProgress(err);
      progress.onOutput("Step 1/2 : FROM a\nfirst\n");
      progress.onOutput("STEP 2/2: RUN b\n");
      progress.onOutput("no such file\n");
    }
    assertEquals(err.text.split("\x1b[K").at(-1), "STEP 2/2: RUN b\nno such file\n");
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
