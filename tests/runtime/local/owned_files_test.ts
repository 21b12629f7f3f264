import { assertEquals } from "@std/assert";
import {
  type Before,
  type Changes,
  changesFor,
  type Entry,
  remember,
} from "../../../runtime/local/owned_files.ts";
import { it, suite } from "../../helpers/suite.ts";

const CALLER = 1000;

/** When the run began, and when everything was made. */
const START = 1_000_000;

/**
 * Entries as `name uid`, directories with what is in them; `closed` for one that may not be looked
 * into, `deep` for one whose path is too long, `unknown` for a name that cannot be asked about.
 */
type Tree = {
  readonly [nameAndUid: string]: Tree | "file" | "setuid" | "closed" | "deep" | "unknown";
};

function entryOf(path: string, uid: number, content: Tree[string]): Entry {
  const isBlind = content === "closed" || content === "deep";
  const kind = isBlind || typeof content === "object"
    ? "directory"
    : content === "setuid"
    ? "file"
    : content;
  const entries = typeof content === "object"
    ? Object.entries(content).map(([key, inner]) => {
      const [name, owner] = key.split(" ");
      return entryOf(`${path}/${name}`, Number(owner), inner);
    })
    : undefined;
  return {
    path,
    id: kind === "unknown" ? "" : path,
    uid,
    kind,
    isPrivileged: content === "setuid",
    changed: 0,
    // What is called old was moved here; the rest was made by the run.
    born: path.includes("old") ? START - 3_600_000 : START,
    state: "",
    entries,
    isClosed: content === "closed",
  };
}

const of = (tree: Tree): Entry => entryOf("m", CALLER, tree);

function changes(tree: Entry, before: Before): Changes {
  return changesFor([tree], CALLER, before);
}

const NOTHING_BEFORE: Tree = {};
/** What was another user's is somewhere, and need not be where it was. */
const THEIRS: Tree = { "k 5": "file" };

suite("changesFor gives", () => {
  for (
    const [title, before, tree, give, isRecursive = false] of [
      [
        "nothing where all is the caller's",
        NOTHING_BEFORE,
        { "a 1000": "file", "b 1000": {} },
        [],
        true,
      ],
      [
        "a directory as a whole where nothing was another user's",
        NOTHING_BEFORE,
        { "a 0": "file", "b 0": { "c 0": "file" }, "d 0": "closed", "\ufffd 0": "unknown" },
        ["m"],
        true,
      ],
      [
        "nothing for what cannot be looked at",
        NOTHING_BEFORE,
        { "b 1000": "deep", "\ufffd 0": "unknown" },
        [],
        true,
      ],
      ["files beside one that was another user's", THEIRS, { "a 0": "file", "k 5": "file" }, [
        "m/a",
      ]],
      [
        "a directory beside one, and what is in it",
        THEIRS,
        { "d 0": { "x 0": "file", "y 1000": "file", "k2 0": "file" }, "k 5": "file" },
        ["m/d", "m/d/x", "m/d/k2"],
      ],
      [
        "what is new in another user's directory",
        { "k 5": {} },
        { "k 5": { "x 0": "file" } },
        ["m/k/x"],
      ],
      ["a closed directory alone there", THEIRS, { "d 0": "closed", "k 5": "file" }, ["m/d"]],
      [
        "nothing as a whole where another user's file is not to be seen any more",
        THEIRS,
        { "d 0": { "b 0": "file", "\ufffd 0": "unknown" } },
        ["m/d", "m/d/b"],
      ],
      [
        "nothing of the caller's that had setuid together with the rest: it would lose that",
        { "s 1000": "setuid" },
        { "a 0": "file", "s 1000": "setuid" },
        ["m/a"],
      ],
      [
        "only what is known to be the run's, where not all was known before",
        { "old2 1000": "file", "x 1000": "closed" },
        {
          "new 0": "file",
          "old1 0": "file",
          "old2 0": "file",
          "d 0": { "old3 0": "file" },
          "x 1000": "closed",
        },
        ["m/new", "m/old2", "m/d"],
      ],
    ] as readonly (readonly [string, Tree, Tree, readonly string[], boolean?])[]
  ) {
    it(title, () => {
      const known = remember([of(before)], START);
      assertEquals(changes(of(tree), known), { open: [], give, isRecursive });
    });
  }

  it("the directory itself, unless it was another user's", () => {
    const entry = entryOf("m", 0, { "a 0": "file" });
    assertEquals(changes(entry, remember([], START)).give, ["m"]);
    assertEquals(changes(entry, remember([entryOf("m", 5, {})], START)).give, ["m/a"]);
  });

  it("what the run closed, once it is open; not what was closed before", () => {
    const tree = of({ "a 1000": "closed" });
    assertEquals(changes(tree, remember([of({ "a 1000": {} })], START)).open, ["m/a"]);
    assertEquals(changes(tree, remember([tree], START)).open, []);
  });
});

suite("remember", () => {
  it("knows what it could not look at", () => {
    const trees: readonly Tree[] = [
      { "a 5": "file" },
      { "d 1000": "closed" },
      { "\ufffd 0": "unknown" },
    ];
    const isPartlyUnknown = trees.map((tree) => remember([of(tree)], START).isPartlyUnknown);
    assertEquals(isPartlyUnknown, [false, true, true]);
  });
});
