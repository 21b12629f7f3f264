import { assertEquals } from "@std/assert";
import {
  type Before,
  type Entry,
  handOverOf,
  remember,
} from "../../../runtime/local/owned_files.ts";
import { it, suite } from "../../helpers/suite.ts";

const CALLER = 1000;
const ROOT = 0;

/** When the run began, and when everything was made. */
const START = 1_000_000;

/**
 * Entries as `name uid`, directories with what is in them; `closed` for one that may not be looked
 * into, `deep` for one whose path is too long, `unknown` for a name that cannot be asked about.
 */
type Tree = {
  readonly [nameAndUid: string]: Tree | "file" | "device" | "closed" | "deep" | "unknown";
};

function entryOf(path: string, uid: number, content: Tree[string]): Entry {
  const isBlind = content === "closed" || content === "deep";
  const kind = isBlind || typeof content === "object" ? "directory" : content;
  const entries = typeof content === "object"
    ? Object.entries(content).map(([key, inner]) => {
      const [name, owner] = key.split(" ");
      return entryOf(`${path}/${name}`, Number(owner), inner);
    })
    : undefined;
  return {
    path,
    id: path,
    uid,
    gid: uid,
    kind,
    isPrivileged: false,
    changed: 0,
    // What is called old was moved here; the rest was made by the run.
    born: path.includes("old") ? START - 3_600_000 : START,
    state: "",
    entries,
    isClosed: content === "closed",
  };
}

const ROWS: readonly (readonly [
  title: string,
  tree: Tree,
  before: readonly string[],
  whole: readonly string[],
  alone: readonly string[],
])[] = [
  ["nothing where all is the caller's", { "a 1000": "file", "b 1000": {} }, [], [], []],
  [
    "all at once where nothing was another user's",
    { "a 0": "file", "b 0": { "c 0": "file" } },
    [],
    ["m"],
    [],
  ],
  ["a closed directory with all that is in it", { "b 0": "closed" }, [], ["m"], []],
  ["nothing of a directory of the caller's that is too deep", { "b 1000": "deep" }, [], [], []],
  ["a file beside one that was another user's", { "a 0": "file", "k 5": "file" }, ["m/k"], [], [
    "m/a",
  ]],
  [
    "a directory beside one that was another user's",
    { "d 0": { "x 0": "file", "y 1000": "file" }, "k 5": "file" },
    ["m/k"],
    ["m/d"],
    [],
  ],
  [
    "a directory alone where another user's file is in it",
    { "d 0": { "x 0": "file", "k 5": "file" } },
    ["m/d/k"],
    [],
    ["m/d", "m/d/x"],
  ],
  [
    "what is new in another user's directory",
    { "k 5": { "x 0": "file" } },
    ["m/k"],
    [],
    ["m/k/x"],
  ],
  [
    "a closed directory alone where something was another user's",
    { "d 0": "closed", "k 5": "file" },
    ["m/k"],
    [],
    ["m/d"],
  ],
  ["no device", { "a 0": "file", "d 0": "device" }, [], [], ["m/a"]],
  [
    "a device of the caller's with all the rest",
    { "a 0": "file", "d 1000": "device" },
    [],
    ["m"],
    [],
  ],
];

function knownBefore(before: Partial<Before> = {}): Before {
  return {
    own: new Set(),
    foreign: new Map(),
    privileged: new Set(),
    closed: new Set(),
    isPartlyUnknown: false,
    start: START,
    ...before,
  };
}

function foreignBefore(ids: readonly string[]): Before {
  return knownBefore({ foreign: new Map(ids.map((id) => [id, ""])) });
}

const of = (tree: Tree): Entry => entryOf("m", CALLER, tree);
const NOTHING = { whole: [], alone: [], open: [] };

suite("handOverOf gives", () => {
  for (const [title, tree, before, whole, alone] of ROWS) {
    it(title, () => {
      assertEquals(handOverOf(of(tree), CALLER, foreignBefore(before)), { whole, alone, open: [] });
    });
  }

  it("nothing of the caller's that has setuid together with the rest: it would lose that", () => {
    const known = knownBefore({ privileged: new Set(["m/s"]) });
    assertEquals(handOverOf(of({ "a 0": "file", "s 1000": "file" }), CALLER, known), {
      ...NOTHING,
      alone: ["m/a"],
    });
  });

  it("the directory itself, unless it was another user's", () => {
    const entry = entryOf("m", ROOT, { "a 0": "file" });
    assertEquals(handOverOf(entry, CALLER, knownBefore()), { ...NOTHING, whole: ["m"] });
    assertEquals(handOverOf(entry, CALLER, foreignBefore(["m"])), { ...NOTHING, alone: ["m/a"] });
  });

  it("what the run closed, once it is open; not what was closed before", () => {
    const tree = of({ "a 1000": "closed" });
    assertEquals(handOverOf(tree, CALLER, knownBefore()), { ...NOTHING, open: ["m/a"] });
    const closed = knownBefore({ closed: new Set(["m/a"]), isPartlyUnknown: true });
    assertEquals(handOverOf(tree, CALLER, closed), NOTHING);
  });

  it("only what is known to be the run's, where not all was known before", () => {
    const tree = of({
      "new 0": "file",
      "old1 0": "file",
      "old2 0": "file",
      "d 0": { "old3 0": "file" },
    });
    const known = knownBefore({ isPartlyUnknown: true, own: new Set(["m/old2"]) });
    assertEquals(handOverOf(tree, CALLER, known), {
      ...NOTHING,
      alone: ["m/new", "m/old2", "m/d"],
    });
  });

  it("nothing as a whole where another user's file is not to be seen any more", () => {
    const tree = of({ "d 0": { "b 0": "file" } });
    assertEquals(handOverOf(tree, CALLER, foreignBefore(["x"]), true), {
      ...NOTHING,
      alone: ["m/d", "m/d/b"],
    });
  });

  it("nothing as a whole that holds an unknown name, unless all was the caller's", () => {
    const tree = of({ "d 0": { "\ufffd 0": "unknown", "b 0": "file" } });
    assertEquals(handOverOf(tree, CALLER, foreignBefore(["x"])), {
      ...NOTHING,
      alone: ["m/d", "m/d/b"],
    });
    assertEquals(handOverOf(tree, CALLER, knownBefore()), { ...NOTHING, whole: ["m"] });
  });
});

suite("remember", () => {
  it("knows whose everything was, and what it could not look at", () => {
    const tree = of({ "a 1000": "file", "b 5": { "c 0": "file" }, "d 1000": "closed" });
    const known = remember([tree], CALLER, START);
    assertEquals([[...known.own], [...known.foreign.keys()], [...known.closed]], [
      ["m", "m/a", "m/d"],
      ["m/b", "m/b/c"],
      ["m/d"],
    ]);
    assertEquals(known.isPartlyUnknown, true);
    assertEquals(remember([of({ "a 5": "file" })], CALLER, START).isPartlyUnknown, false);
    assertEquals(remember([of({ "\ufffd 0": "unknown" })], CALLER, START).isPartlyUnknown, true);
  });
});
