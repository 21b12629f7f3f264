import { assertEquals } from "@std/assert";
import { runBlocks } from "../../../scripts/tasks/lint_shell.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("runBlocks", () => {
  it("finds commands on a line, in a block and folded", () => {
    const workflow = `
    steps:
      - run: .ci/run
      - name: two
        run: |
          echo "$A"
          echo "$B"
        env:
          A: run
      - run: >-
          gh release
          create
`;
    assertEquals(runBlocks(workflow), [".ci/run", 'echo "$A"\necho "$B"', "gh release create"]);
  });
});
