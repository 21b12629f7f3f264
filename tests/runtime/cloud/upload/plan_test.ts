import { assertEquals, assertRejects } from "@std/assert";
import { AwsError } from "../../../../runtime/aws/errors.ts";
import type { StoredObject } from "../../../../runtime/aws/s3.ts";
import {
  callsOf,
  deletingCalls,
  isTooLarge,
  likeness,
  PART_SIZE,
  partSizeOf,
  partsOf,
  stepsOf,
} from "../../../../runtime/cloud/upload/plan.ts";
import { keysToDelete } from "../../../../runtime/cloud/upload_data.ts";
import { it, suite } from "../../../helpers/suite.ts";

const MIB = 1024 ** 2;

async function* stream<T>(items: readonly T[]): AsyncGenerator<T, void, void> {
  yield* items;
}

function object(key: string): StoredObject {
  return { key, size: 1, lastModified: new Date(0), etag: '""' };
}

/** The steps as words: `+a` a file without an object, `=a` with one, `-a` an object without one. */
async function steps(files: readonly string[], objects: readonly string[]): Promise<string[]> {
  const local = files.map((name) => ({ name, path: name, shown: name }));
  const all = stepsOf(stream(local), stream(objects.map((key) => object(`p/${key}`))), "p/");
  return await Array.fromAsync(
    all,
    (step) =>
      step.kind === "extra"
        ? `-${step.object.key.slice(2)}`
        : `${step.there ? "=" : "+"}${step.file.name}`,
  );
}

suite("a list of objects that were not asked for", () => {
  for (const keys of [["other"], ["p/a", "p0"], ["o", "p/a"], ["p"]]) {
    it(`is none of what may be deleted: ${keys.join()}`, async () => {
      const all = stepsOf(stream([]), stream(keys.map((key) => object(key))), "p/");
      await assertRejects(
        () => Array.fromAsync(all),
        AwsError,
        "S3 listed objects outside the requested prefix",
      );
    });
  }
});

suite("the largest file", () => {
  it("has 10,000 parts of 5 GiB", () => {
    const most = 10_000 * 5 * 1024 ** 3;
    assertEquals([most, most + 1].map(isTooLarge), [false, true]);
    assertEquals(partsOf(most) <= 10_000, true);
  });
});

suite("the steps of an upload", () => {
  for (
    const [files, objects, expected] of [
      [[], [], []],
      [["a", "b"], [], ["+a", "+b"]],
      [[], ["a", "b"], ["-a", "-b"]],
      [["a", "c"], ["b", "c", "d"], ["+a", "-b", "=c", "-d"]],
      [["b"], ["a", "b"], ["-a", "=b"]],
      [["a.b", "a/b"], ["a/b"], ["+a.b", "=a/b"]],
      [["\uffe6", "\u{1f600}"], ["\uffe6", "\u{1f600}"], ["=\uffe6", "=\u{1f600}"]],
    ] as const
  ) {
    it(`of ${files.join(" ") || "nothing"} over ${objects.join(" ") || "nothing"}`, async () => {
      assertEquals(await steps(files, objects), [...expected]);
    });
  }
});

suite("an object is what a file is", () => {
  const there = { size: 5, lastModified: new Date(10_000) };
  for (
    const [what, size, modified, expected] of [
      ["older", 5, 9_999, "same"],
      ["much older", 5, 0, "same"],
      ["of the same second", 5, 10_000, "unclear"],
      ["of the same second, later", 5, 10_999, "unclear"],
      ["newer", 5, 11_000, "different"],
      ["older, of another size", 6, 0, "different"],
      ["of a time that is not known", 5, undefined, "different"],
    ] as const
  ) {
    it(`where the file is ${what}: ${expected}`, () => {
      assertEquals(likeness({ size, modified }, there), expected);
    });
  }

  it("where there is none: different", () => {
    assertEquals(likeness({ size: 5, modified: 0 }, undefined), "different");
  });
});

suite("the parts of a file", () => {
  for (
    const [size, parts, partSize] of [
      [0, 0, PART_SIZE],
      [PART_SIZE, 0, PART_SIZE],
      [PART_SIZE + 1, 2, PART_SIZE],
      [3 * PART_SIZE, 3, PART_SIZE],
      [10_000 * PART_SIZE, 10_000, PART_SIZE],
      // One byte more: parts of 9 MiB.
      [10_000 * PART_SIZE + 1, 8_889, 9 * MIB],
      [5 * 1024 ** 4, 9_987, 525 * MIB],
    ] as const
  ) {
    it(`of ${size} bytes: ${parts}`, () => {
      assertEquals([partsOf(size), partSizeOf(size)], [parts, partSize]);
    });
  }
});

suite("what an upload asks for", () => {
  it("is one request for a small file", () => assertEquals(callsOf(PART_SIZE), { PutObject: 1 }));

  it("is one a part, and two more, for a large one", () => {
    const calls = { CreateMultipartUpload: 1, UploadPart: 2, CompleteMultipartUpload: 1 };
    assertEquals(callsOf(PART_SIZE + 1), calls);
  });

  it("is one for each thousand objects to delete", () => {
    assertEquals(
      [0, 1, 1_000, 1_001].map((count) => deletingCalls(count)),
      [{}, { DeleteObjects: 1 }, { DeleteObjects: 1 }, { DeleteObjects: 2 }],
    );
  });
});

suite("what --delete deletes", () => {
  it("is neither a directory's mark nor what is kept", () => {
    const extras = ["p/", "p/a", "p/output/j/model.tar.gz", "p/output2", "p/x/", "p/x/b"];
    const kept: string[] = [];
    const deleted = keysToDelete(extras, new Map([["p/output", "results"]]), (path) => {
      kept.push(path);
    });
    assertEquals([deleted, kept], [["p/a", "p/output2", "p/x/b"], ["p/output"]]);
  });
});
