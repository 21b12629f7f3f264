import { assert, assertEquals } from "@std/assert";
import { askS3 } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { byBytes } from "../../helpers/box/sorted_map.ts";
import { it, suite } from "../../helpers/suite.ts";

/** A box with empty objects of those names. */
async function withKeys(keys: readonly string[]): Promise<Box> {
  const box = await Box.open();
  box.s3.createBucket("data");
  for (const key of keys) await box.s3.put("data", key, "");
  return box;
}

/** The pages of a list: what it says of keys, and of common prefixes (with `..` before them). */
async function pages(box: Box, query: Readonly<Record<string, string>>): Promise<string[][]> {
  const found: string[][] = [];
  let token: string | undefined;
  do {
    const { status, text } = await askS3(box, "GET", "data", {
      query: {
        "list-type": "2",
        ...query,
        ...(token === undefined ? {} : { "continuation-token": token }),
      },
    });
    assertEquals(status, 200);
    found.push([
      ...[...text.matchAll(/<Contents><Key>([^<]*)</g)].map(([, key]) => key!),
      ...[...text.matchAll(/<CommonPrefixes><Prefix>([^<]*)</g)].map(([, key]) => `..${key}`),
    ]);
    assertEquals(/<KeyCount>(\d+)</.exec(text)![1], String(found.at(-1)!.length));
    token = /<NextContinuationToken>([^<]*)</.exec(text)?.[1];
    assertEquals(text.includes("<IsTruncated>true<"), token !== undefined);
  } while (token !== undefined && found.length < 20);
  return found;
}

const KEYS = ["a", "a/", "a/1", "a/2/x", "a/2/y", "a/3", "ab", "b/x"];

suite("the box's S3: lists", () => {
  const table: readonly (readonly [Record<string, string>, string[][]])[] = [
    [{}, [KEYS]],
    [{ prefix: "a/" }, [["a/", "a/1", "a/2/x", "a/2/y", "a/3"]]],
    // A prefix is text, not a directory.
    [{ prefix: "a" }, [KEYS.slice(0, 7)]],
    [{ prefix: "a/2" }, [["a/2/x", "a/2/y"]]],
    [{ prefix: "none" }, [[]]],
    [{ delimiter: "/" }, [["a", "ab", "..a/", "..b/"]]],
    [{ prefix: "a/", delimiter: "/" }, [["a/", "a/1", "a/3", "..a/2/"]]],
    [{ "max-keys": "3" }, [["a", "a/", "a/1"], ["a/2/x", "a/2/y", "a/3"], ["ab", "b/x"]]],
    [{ "max-keys": "8" }, [KEYS]],
    [{ delimiter: "/", "max-keys": "1" }, [["a"], ["..a/"], ["ab"], ["..b/"]]],
    [{ prefix: "a/", delimiter: "/", "max-keys": "1" }, [["a/"], ["a/1"], ["..a/2/"], ["a/3"]]],
    [{ "start-after": "a/2/x" }, [["a/2/y", "a/3", "ab", "b/x"]]],
    [{ "start-after": "a/2", "max-keys": "2" }, [["a/2/x", "a/2/y"], ["a/3", "ab"], ["b/x"]]],
    [{ "max-keys": "0" }, [[]]],
  ];
  for (const [query, expected] of table) {
    it(`of ${JSON.stringify(query)}`, async () => {
      await using box = await withKeys(KEYS);
      assertEquals(await pages(box, query), expected);
    });
  }

  it("have at most 1,000 keys", async () => {
    await using box = await withKeys(Array.from({ length: 1001 }, (_, index) => `k${index}`));
    const found = await pages(box, { "max-keys": "5000" });
    assertEquals(found.map((page) => page.length), [1000, 1]);
  });

  it("are sorted by bytes, and write odd names as they are or as in addresses", async () => {
    const keys = ["\u{1f4a5}", "\uffee", "a b", "a&b", "a+b", "a\r", "é"];
    await using box = await withKeys(keys);
    const sorted = ["a\r", "a b", "a&b", "a+b", "é", "\uffee", "\u{1f4a5}"];
    assertEquals(box.s3.keys("data"), sorted);
    assertEquals(await pages(box, {}), [
      ["a&#xd;", "a b", "a&amp;b", "a+b", "é", "\uffee", "\u{1f4a5}"],
    ]);
    assertEquals(await pages(box, { "encoding-type": "url", "max-keys": "4" }), [
      ["a%0D", "a+b", "a%26b", "a%2Bb"],
      ["%C3%A9", "%EF%BF%AE", "%F0%9F%92%A5"],
    ]);
  });

  it("tell size, entity tag and time", async () => {
    await using box = await withKeys([]);
    const object = await box.s3.put("data", "x", "hello");
    object.modified = new Date("2026-03-01T09:30:00Z");
    const { text } = await askS3(box, "GET", "data", { query: { "list-type": "2" } });
    assert(
      text.includes(
        "<LastModified>2026-03-01T09:30:00.000Z</LastModified>" +
          '<ETag>"5d41402abc4b2a76b9719d911017c592"</ETag><Size>5</Size>',
      ),
      text,
    );
  });

  for (
    const [name, value] of [["continuation-token", "%"], ["max-keys", "-1"], ["encoding-type", "x"]]
  ) {
    it(`refuse ${name} ${value}`, async () => {
      await using box = await withKeys([]);
      const all = { "list-type": "2", [name!]: value! };
      assertEquals((await askS3(box, "GET", "data", { query: all })).error, "InvalidArgument");
    });
  }
});

suite("the order of keys", () => {
  for (
    const [one, other] of [["a", "b"], ["a", "aa"], ["A", "a"], ["z", "é"], ["\uffff", "\u{10000}"]]
  ) {
    it(`${JSON.stringify(one)} before ${JSON.stringify(other)}`, () => {
      assert(byBytes(one!, other!) < 0);
      assert(byBytes(other!, one!) > 0);
      assertEquals(byBytes(one!, one!), 0);
    });
  }
});
