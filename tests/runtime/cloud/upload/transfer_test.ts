import { assertEquals, assertRejects } from "@std/assert";
import { AwsError } from "../../../../runtime/aws/errors.ts";
import type { S3 } from "../../../../runtime/aws/s3.ts";
import { PART_SIZE } from "../../../../runtime/cloud/upload/plan.ts";
import { Budget, leftPartsWarnings, send } from "../../../../runtime/cloud/upload/send.ts";
import { transfer } from "../../../../runtime/cloud/upload/transfer.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** S3 that takes everything, the parts one after the other; the first file is refused once. */
function takingS3(refusal: Error | undefined): S3 {
  let left = refusal;
  let before: Promise<unknown> = Promise.resolve();
  const s3: Partial<S3> = {
    putObject: () => Promise.resolve(),
    createUpload: (place) => Promise.resolve({ ...place, id: "1" }) as never,
    uploadPart: (_, number) => {
      const part = before.then(() => ({ number, etag: `${number}` }));
      before = part.then(() => new Promise((resolve) => setTimeout(resolve, 0)));
      return part as never;
    },
    completeUpload: () => {
      const error = left;
      left = undefined;
      return error ? Promise.reject(error) : Promise.resolve() as never;
    },
    abortUpload: () => Promise.resolve(),
  };
  return s3 as S3;
}

suite("a file in parts of which one fails", () => {
  it("is taken back when all its parts have come to an end, and not before", async () => {
    await using directory = await makeDirectory();
    const path = `${directory.path}/large`;
    await Deno.writeFile(path, new Uint8Array(2 * PART_SIZE));
    const events: string[] = [];
    const second = Promise.withResolvers<void>();
    const s3 = {
      ...takingS3(undefined),
      uploadPart: async (_: unknown, number: number) => {
        if (number === 1) {
          // The second is on its way until some time after the first has failed.
          await second.promise;
          setTimeout(() => events.push("the second part"), 20);
          throw new AwsError("other", "No.");
        }
        second.resolve();
        while (!events.includes("the second part")) await new Promise((go) => setTimeout(go, 1));
        return { number, etag: "2", crc32: undefined };
      },
      abortUpload: () => Promise.resolve(void events.push("taken back")),
    };
    const file = { name: "large", path, shown: "large" };
    const step = { kind: "file", file, there: undefined } as const;
    await assertRejects(() =>
      send(step, {
        s3,
        target: { bucket: "b", key: "k/" },
        budget: new Budget(4 * PART_SIZE),
        force: new AbortController().signal,
        left: leftPartsWarnings(() => {}),
      }, () => {}), AwsError);
    assertEquals(events, ["the second part", "taken back"]);
  });
});

suite("what is told of files on their way", () => {
  const TOTAL = 2 * PART_SIZE + 5;
  for (
    const [title, refusal, inParts] of [
      ["a large file counts part by part, and once", undefined, [
        PART_SIZE,
        2 * PART_SIZE,
        TOTAL,
        0,
      ]],
      [
        "one that is sent again counts from its beginning",
        new AwsError("failed", "not now"),
        [PART_SIZE, 2 * PART_SIZE, TOTAL, PART_SIZE, 2 * PART_SIZE, TOTAL, 0],
      ],
    ] as const
  ) {
    it(title, async () => {
      await using directory = await makeDirectory();
      const path = `${directory.path}/large`;
      await Deno.writeFile(path, new Uint8Array(TOTAL));
      const file = { name: "large", path, shown: "large" };
      const told: number[] = [];
      const done = await transfer(
        (async function* () {
          yield { kind: "file", file, there: undefined } as const;
        })(),
        {
          s3: takingS3(refusal),
          target: { bucket: "b", key: "k/" },
          budget: new Budget(4 * PART_SIZE),
          force: new AbortController().signal,
          left: leftPartsWarnings(() => {}),
        },
        false,
        ({ inParts }) => void told.push(inParts),
      );
      assertEquals(told, [...inParts]);
      assertEquals([done.files, done.bytes, done.inParts], [1, TOTAL, 0]);
    });
  }
});

/** Lets all that can go on go on. */
const settled = () => new Promise((done) => setTimeout(done));

suite("a budget", () => {
  it("lets in what fits, in the order of asking", async () => {
    const budget = new Budget(10);
    const inside: string[] = [];
    const take = async (name: string, bytes: number) => {
      const taken = await budget.take(bytes);
      inside.push(name);
      return taken;
    };
    const first = take("first", 6);
    const second = take("second", 6);
    // It would fit, but has to wait for its turn.
    const third = take("third", 1);
    await settled();
    assertEquals(inside, ["first"]);
    (await first)[Symbol.dispose]();
    await settled();
    assertEquals(inside, ["first", "second", "third"]);
    for (const taken of [second, third]) (await taken)[Symbol.dispose]();
  });

  it("lets in alone what is more than all of it, and takes back once", async () => {
    const budget = new Budget(10);
    const all = await budget.take(100);
    let isIn = false;
    const next = budget.take(1).then((taken) => (isIn = true, taken));
    await settled();
    assertEquals(isIn, false);
    all[Symbol.dispose]();
    all[Symbol.dispose]();
    (await next)[Symbol.dispose]();
    assertEquals(isIn, true);
    const rest = await budget.take(10);
    let isOver = false;
    budget.take(1).then(() => isOver = true);
    await settled();
    assertEquals(isOver, false);
    rest[Symbol.dispose]();
  });
});
