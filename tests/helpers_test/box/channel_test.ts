import { assertEquals } from "@std/assert";
import { placed } from "../../helpers/box/jobs/channel.ts";
import { it, suite } from "../../helpers/suite.ts";

const WHOLE = { isSharded: false, host: 0, hosts: 1 };

suite("the box's channels", () => {
  /** Keys that begin with the prefix, and the files that they become. */
  const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["train/", ["train/a", "train/b/c"], ["a", "b/c"]],
    ["train", ["train/a", "train/b/c"], ["a", "b/c"]],
    ["train/a", ["train/a"], ["a"]],
    ["train/a", ["train/a", "train/a2", "train/a/b"], ["a", "a2", "b"]],
    ["tra", ["train/a"], ["train/a"]],
    ["", ["a", "b/c"], ["a", "b/c"]],
    ["train/", ["train/", "train/b/", "train/b/c"], ["b/c"]],
    ["a b/", ["a b/ü+%.csv"], ["ü+%.csv"]],
  ];
  for (const [prefix, keys, paths] of rows) {
    it(`take ${keys.join(" ")} below ${prefix || "nothing"} as ${paths.join(" ")}`, () => {
      assertEquals(placed(keys, prefix, WHOLE).map(({ path }) => path), paths);
    });
  }

  it("that are sharded give each object to one host", () => {
    const keys = ["d/a", "d/b", "d/c", "d/d", "d/e"];
    const shares = [0, 1].map((host) =>
      placed(keys, "d/", { isSharded: true, host, hosts: 2 }).map(({ path }) => path)
    );
    assertEquals(shares, [["a", "c", "e"], ["b", "d"]]);
  });
});
