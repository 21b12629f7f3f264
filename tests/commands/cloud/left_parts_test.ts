import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { Interrupted } from "../../../runtime/errors.ts";
import { transfer } from "../../../runtime/cloud/upload/transfer.ts";
import { forcedEnd } from "../../../runtime/time.ts";
import { Budget, leftPartsWarnings } from "../../../runtime/cloud/upload/send.ts";
import { Keys, openCloud } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";
import { BUCKET, type Place, place, TARGET } from "../../helpers/upload_place.ts";

const KEY = "churn/data/large";
const ARGS = ["-i", "d", "--target-dir", TARGET];

/** A platform, and a file here that comes in parts. */
async function withLarge(): Promise<Place> {
  const at = await place({ "d/": "" });
  await Deno.writeFile(join(at.directory.path, "d/large"), new Uint8Array(9 * 1024 ** 2));
  return at;
}

suite("parts that belong to no object", () => {
  it("of a program that was killed are named by the next one, with how to remove them", async () => {
    await using at = await withLarge();
    const { id } = at.box.s3.createUpload(BUCKET, KEY);
    // Another file's, which is none of this command's business.
    at.box.s3.createUpload(BUCKET, `${KEY}-2`);
    const { code, stderr } = await at.upload(ARGS);
    assertEquals(code, 0);
    assertMatch(
      stderr,
      new RegExp(
        "^warning: S3 still has parts of an unfinished upload of " +
          "s3://data-bucket/churn/data/large, started \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\n" +
          "hint: S3 bills these parts. If the upload is no longer running, remove them: " +
          "aws s3api abort-multipart-upload " +
          `--bucket data-bucket --key churn/data/large --upload-id ${id}\n`,
      ),
    );
    assertEquals(stderr.split("warning:").length, 2);
    assertEquals(at.box.s3.uploads(BUCKET).length, 2);
  });

  it("are not left where every answer to the beginning of an upload in parts is lost", async () => {
    await using at = await withLarge();
    at.box.faults.loseAnswer("s3:CreateMultipartUpload", 2);
    const { code, stderr } = await at.upload(ARGS, { env: { AWS_MAX_ATTEMPTS: "1" } });
    assertEquals([code, at.box.s3.uploads(BUCKET)], [1, []]);
    assertMatch(stderr, /^error: Cannot upload 1 file to /);
  });

  it("may be there where nobody may look: that is said", async () => {
    await using at = await withLarge();
    at.box.faults.loseAnswer("s3:CreateMultipartUpload", 1);
    at.box.faults.deny("s3:ListBucketMultipartUploads");
    const { code, stderr } = await at.upload(ARGS, { env: { AWS_MAX_ATTEMPTS: "1" } });
    // It is sent at the second attempt, in other parts.
    assertEquals([code, at.box.s3.uploads(BUCKET).length], [0, 1]);
    assertMatch(
      stderr,
      /^warning: Cannot determine whether S3 started an upload of s3:\/\/data-bucket\/churn\/data\/large\nhint: List unfinished uploads: aws s3api list-multipart-uploads --bucket data-bucket --prefix churn\/data\/large\n/,
    );
  });

  for (
    const [operation, words] of [
      ["CreateMultipartUpload", /^Cannot determine whether S3 started an upload of .*\/large/],
      ["AbortMultipartUpload", /^Cannot remove the parts of the unfinished upload of .*\/large/],
    ] as const
  ) {
    it(`are named after one Ctrl-C where ${operation} is never answered`, async () => {
      await using at = await withLarge();
      const keys = new Keys();
      const never = Promise.withResolvers<Response>();
      at.box.faults.before = ({ operation: asked }) => {
        if (asked === "UploadPart" || asked === operation) {
          if (!keys.interruption.signal.aborted) keys.press();
        }
        return asked === operation ? never.promise : undefined;
      };
      using last = forcedEnd(keys.interruption, 50);
      using cloud = await openCloud(at.box.env(), { signal: keys.interruption.signal });
      const said: string[] = [];
      const sending = {
        s3: await cloud.aws.s3(),
        target: { bucket: BUCKET, key: "churn/data/" },
        budget: new Budget(32 * 1024 ** 2),
        force: last.signal,
        left: leftPartsWarnings((message) => void said.push(message)),
      };
      const path = join(at.directory.path, "d/large");
      const steps = async function* () {
        yield {
          kind: "file",
          file: { name: "large", path, shown: "large" },
          there: undefined,
        } as const;
      };
      const error = await transfer(steps(), sending, false, () => {}).catch((error) => error);
      never.resolve(new Response(null, { status: 503 }));
      assertEquals([error instanceof Interrupted, said.length], [true, 1]);
      assertMatch(said[0]!, words);
    });
  }
});
