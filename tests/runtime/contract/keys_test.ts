import { assertEquals } from "@std/assert";
import { compareKeys, sortKeys } from "../../../runtime/contract/keys.ts";
import { it, suite } from "../../helpers/suite.ts";

/** The keys as S3 sorts them: by their bytes. */
function byBytes(keys: readonly string[]): string[] {
  const latin = (key: string) => String.fromCharCode(...new TextEncoder().encode(key));
  return keys.toSorted((one, other) => latin(one) < latin(other) ? -1 : 1);
}

suite("the order of keys", () => {
  const KEYS = [
    ...["a", "a/b", "a.b", "a-b", "A", "ä", "a\u0308", "", "b", "\uffe6", "\u{1f600}", "\ud7ff"],
    ...["x\u{1f600}", "x\uffe6", "x", "x\u{10000}y", "x\u{10000}z"],
  ];

  it("is that of their bytes", () => {
    assertEquals(KEYS.toSorted(compareKeys), byBytes(KEYS));
  });

  it("is the same for what is sorted the fast way", () => {
    const plain = KEYS.filter((key) => !/[\ud800-\udfff]/.test(key));
    assertEquals(sortKeys([...plain], (key) => key), byBytes(plain));
    assertEquals(sortKeys([...KEYS], (key) => key), byBytes(KEYS));
  });
});
