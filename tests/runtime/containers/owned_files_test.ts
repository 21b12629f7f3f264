import { assertEquals } from "@std/assert";
import { type Before, type Entry, handOverOf } from "../../../runtime/containers/owned_files.ts";
import { it, suite } from "../../helpers/suite.ts";

const CALLER = 1000;
const ROOT = 0;

/** Entries as `name uid`, directories with what is in them; `undefined` for one that is closed. */
type Tree = { readonly [nameAndUid: string]: Tree | "file" | "device" | undefined };

function entryOf(path: string, uid: number, content: Tree[string]): Entry {
  const kind = typeof content === "string" ? content : "directory";
  const entries = typeof content === "object"
    ? Object.entries(content).map(([key, inner]) => {
      const [name, owner] = key.split(" ");
      return entryOf(`${path}/${name}`, Number(owner), inner);
    })
    : undefined;
  return { path, id: path, uid, kind, isPrivileged: false, written: 0, entries };
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
  ["a closed directory with all that is in it", { "b 0": undefined }, [], ["m"], []],
  ["nothing of a directory that the caller has closed", { "b 1000": undefined }, [], [], []],
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
    { "d 0": undefined, "k 5": "file" },
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

function foreignBefore(ids: readonly string[]): Before {
  return { foreign: new Set(ids), privileged: new Set() };
}

suite("handOverOf gives", () => {
  for (const [title, tree, before, whole, alone] of ROWS) {
    it(title, () => {
      const entry = entryOf("m", CALLER, tree);
      assertEquals(handOverOf(entry, CALLER, foreignBefore(before)), { whole, alone });
    });
  }

  it("nothing of the caller's that has setuid together with the rest: it would lose that", () => {
    const entry = entryOf("m", CALLER, { "a 0": "file", "s 1000": "file" });
    const before = { foreign: new Set<string>(), privileged: new Set(["m/s"]) };
    assertEquals(handOverOf(entry, CALLER, before), { whole: [], alone: ["m/a"] });
  });

  it("the directory itself, unless it was another user's", () => {
    const entry = entryOf("m", ROOT, { "a 0": "file" });
    assertEquals(handOverOf(entry, CALLER, foreignBefore([])), { whole: ["m"], alone: [] });
    assertEquals(handOverOf(entry, CALLER, foreignBefore(["m"])), { whole: [], alone: ["m/a"] });
  });
});
