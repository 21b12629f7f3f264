import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { commitOf } from "../../../runtime/source/commit.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const OTHER = "f".repeat(40);
const ON_MAIN = { ".git/HEAD": "ref: refs/heads/main\n" };

suite("the commit of a work tree", () => {
  for (
    const [what, files, expected] of [
      ["of a branch", { ...ON_MAIN, ".git/refs/heads/main": `${COMMIT}\n` }, COMMIT],
      [
        "of a branch in the packed list",
        {
          ...ON_MAIN,
          ".git/packed-refs": `# pack\n${OTHER} refs/heads/mainly\n${COMMIT} refs/heads/main\n`,
        },
        COMMIT,
      ],
      ["of no branch", { ".git/HEAD": `${COMMIT}\n` }, COMMIT],
      ["of a submodule", {
        ".git": "gitdir: ../git\n",
        "../git/HEAD": `${COMMIT}\n`,
      }, COMMIT],
      ["of a further work tree", {
        ".git": "gitdir: ../git/worktrees/one\n",
        "../git/worktrees/one/HEAD": "ref: refs/heads/main\n",
        "../git/worktrees/one/commondir": "../..\n",
        "../git/refs/heads/main": COMMIT,
      }, COMMIT],
      ["before the first commit: none", ON_MAIN, undefined],
      ["of no repository: none", { "a.py": "" }, undefined],
      ["of what is none: none", {
        ".git/HEAD": "ref: refs/heads/../../secret\n",
        ".git/secret": COMMIT,
      }, undefined],
      ["of words: none", { ...ON_MAIN, ".git/refs/heads/main": "password\n" }, undefined],
    ] as const
  ) {
    it(what, async () => {
      await using directory = await makeDirectory({ "tree/src/": "" });
      await directory.write(
        Object.fromEntries(Object.entries(files).map(([name, text]) => [join("tree", name), text])),
      );
      assertEquals(await commitOf(join(directory.path, "tree/src")), expected);
    });
  }
});
