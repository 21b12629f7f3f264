import { assertEquals } from "@std/assert";
import { Box } from "../../helpers/box/box.ts";
import type { BoxRequest } from "../../helpers/box/service.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { type InProcessOptions, runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Pages of what is not SageMaker: a network's login, an emulator that lacks something. */
const PAGES = {
  "a page that is XML, too": "<html><head><title>Log in</title></head></html>",
  "a page that is no XML": "<!doctype html>\n<html lang=en>\n<title>Not Found</title>\n",
  "text": "upstream error",
  "JSON": '{"reason":"no"}',
};

const STRANGE_HINT =
  "hint: Check the proxy, the network (it might show a login page) and AWS_ENDPOINT_URL\n";

/** Uploads `data/`, with an answer of something else to some requests. */
async function upload(
  answer: (request: BoxRequest) => Response | undefined,
  args: readonly string[] = [],
  { there = [], ...options }: Partial<InProcessOptions> & { readonly there?: readonly string[] } =
    {},
): Promise<ProgramResult & { readonly keys: readonly string[] }> {
  await using box = await Box.open();
  await using directory = await makeDirectory({ "data/a.csv": "1\n", "data/b.csv": "22\n" });
  box.s3.createBucket("bucket");
  for (const key of there) await box.s3.put("bucket", key, "0");
  box.faults.before = answer;
  const result = await runInProcess(
    ["upload-data", "-i", "data", "--target-dir", "s3://bucket/data", ...args],
    { cwd: directory.path, cloud: { ...box.env(), AWS_MAX_ATTEMPTS: "1" }, ...options },
  );
  return { ...result, keys: box.s3.keys("bucket") };
}

/** Answers of valid JSON that are not of the types which the API reference names. */
const WRONG_TYPES: Readonly<Record<string, readonly [args: string, answers: object]>> = {
  "a name that is an object": ["list-endpoints", {
    ListEndpoints: { Endpoints: [{ EndpointName: { a: 1 }, EndpointStatus: "InService" }] },
  }],
  "a list with null": ["list-jobs", { ListTrainingJobs: { TrainingJobSummaries: [null] } }],
  "an object in the place of a list": ["describe shop", {
    DescribeEndpoint: { EndpointName: "shop", EndpointArn: "arn", ProductionVariants: { a: 1 } },
  }],
};

suite("answers of what is not SageMaker", () => {
  for (const [what, [args, answers]] of Object.entries(WRONG_TYPES)) {
    it(`${args} names the cause of an answer with ${what}`, async () => {
      await using box = await Box.open();
      box.faults.before = ({ operation }) => {
        const answer = Object.entries(answers).find(([name]) => name === operation)?.[1];
        return answer && Response.json(answer);
      };
      const cloud = { ...box.env(), AWS_MAX_ATTEMPTS: "1" };
      const { code, stderr } = await runInProcess(args.split(" "), { cwd: "/", cloud });
      assertEquals([code, stderr], [
        1,
        `error: The response did not come from AWS: HTTP 200\n${STRANGE_HINT}`,
      ]);
    });
  }

  it("a refusal without a body is reported as one of AWS, not as a defect", async () => {
    // The SDK's own TypeError: https://github.com/aws/aws-sdk-js-v3/issues/7749
    const { code, stderr } = await upload(({ operation }) =>
      operation === "ListObjectsV2"
        ? new Response("", { status: 500, headers: { "Content-Type": "text/xml" } })
        : undefined
    );
    assertEquals([code, stderr], [
      1,
      "error: s3:ListBucket failed: HTTP 500\n" +
      "hint: Try again in a few minutes. Known outages are on https://health.aws.amazon.com.\n",
    ]);
  });

  for (const [what, page] of Object.entries(PAGES)) {
    for (const status of [200, 403]) {
      it(`the list of a bucket: ${what}, HTTP ${status}`, async () => {
        const { code, stdout, stderr } = await upload(({ operation }) =>
          operation === "ListObjectsV2" ? new Response(page, { status }) : undefined
        );
        assertEquals([code, stdout, stderr], [
          1,
          "",
          `error: The response did not come from AWS: HTTP ${status}\n${STRANGE_HINT}`,
        ]);
      });
    }

    it(`an object that is sent: ${what}, HTTP 200`, async () => {
      const { code, stdout, stderr } = await upload(({ operation }) =>
        operation === "PutObject" ? new Response(page) : undefined
      );
      assertEquals([code, stdout, stderr.split("\n").slice(0, 3)], [1, "", [
        "error: Cannot upload 2 files to s3://bucket/data/",
        "  data/a.csv: The response did not come from AWS: HTTP 200",
        "  data/b.csv: The response did not come from AWS: HTTP 200",
      ]]);
    });
  }

  for (const [what, page] of Object.entries(PAGES)) {
    it(`a deletion: ${what}, HTTP 200`, async () => {
      const { code, stderr, keys } = await upload(
        ({ operation }) => operation === "DeleteObjects" ? new Response(page) : undefined,
        ["--delete"],
        { there: ["data/old"] },
      );
      assertEquals([code, stderr, keys.length], [
        1,
        `error: The response did not come from AWS: HTTP 200\n${STRANGE_HINT}`,
        3,
      ]);
    });
  }

  it("a deletion of one object alone: a page, HTTP 200", async () => {
    const { code, stderr } = await upload(
      ({ operation }) => operation === "DeleteObject" ? new Response("<html/>") : undefined,
      ["--delete"],
      { there: ["data/old\x01"] },
    );
    assertEquals([code, stderr], [
      1,
      `error: The response did not come from AWS: HTTP 200\n${STRANGE_HINT}`,
    ]);
  });

  it("a deletion that is not said of all", async () => {
    const page = "<DeleteResult><Deleted><Key>data/old</Key></Deleted></DeleteResult>";
    const { code, stderr } = await upload(
      ({ operation }) => operation === "DeleteObjects" ? new Response(page) : undefined,
      ["--delete"],
      { there: ["data/old", "data/older"] },
    );
    assertEquals([code, stderr.split("\n").slice(0, 2)], [1, [
      "error: Cannot delete 1 object in s3://bucket/",
      "  data/older: S3 did not confirm the deletion",
    ]]);
  });

  it("an object that an emulator has no address for", async () => {
    const { code, stderr } = await upload(({ operation, input }) =>
      operation === "PutObject" && input.Key === "data/b.csv"
        ? new Response(PAGES["a page that is no XML"], { status: 404 })
        : undefined
    );
    assertEquals([code, stderr.split("\n").slice(0, 2)], [1, [
      "error: Cannot upload 1 file to s3://bucket/data/",
      "  data/b.csv: The response did not come from AWS: HTTP 404",
    ]]);
  });

  it("a file in parts that nothing confirms", async () => {
    await using directory = await makeDirectory({ "data/big": "x".repeat(9 * 1024 ** 2) });
    const { code, stdout, stderr, keys } = await upload(
      ({ operation }) =>
        operation === "CompleteMultipartUpload"
          ? new Response(PAGES["a page that is XML, too"])
          : undefined,
      [],
      { cwd: directory.path },
    );
    assertEquals([code, stdout, keys, stderr.split("\n").slice(0, 2)], [1, "", [], [
      "error: Cannot upload 1 file to s3://bucket/data/",
      "  data/big: The response did not come from AWS: HTTP 200",
    ]]);
  });
});

/** What a list answers whose keys come as a file system has them: by directories. */
function byDirectories({ operation }: BoxRequest): Response | undefined {
  if (operation !== "ListObjectsV2") return undefined;
  const contents = ["data/b.csv", "data/a.csv", "data/gone.csv"].map((key) =>
    `<Contents><Key>${key}</Key><LastModified>2099-01-01T00:00:00Z</LastModified>` +
    "<Size>2</Size></Contents>"
  );
  return new Response(
    `<ListBucketResult><Name>bucket</Name>${contents.join("")}</ListBucketResult>`,
  );
}

suite("objects in another order than that of their keys", () => {
  it("are sent again, which is said", async () => {
    const { code, stdout, stderr, keys } = await upload(byDirectories);
    assertEquals([code, stdout, keys], [0, "s3://bucket/data/\n", ["data/a.csv", "data/b.csv"]]);
    assertEquals(
      stderr,
      "note: Unchanged files might be uploaded again: S3 did not list the objects in the order " +
        "of their keys\nUploaded 2 files (5 bytes)\n",
    );
  });

  it("are not deleted", async () => {
    const { code, stdout, stderr } = await upload(byDirectories, ["--delete"]);
    assertEquals([code, stdout, stderr], [
      1,
      "",
      "error: S3 did not list the objects in the order of their keys\n" +
      "hint: Nothing was deleted. Use a general purpose bucket, or omit --delete.\n",
    ]);
  });
});

suite("a refusal without a reason, as S3 answers a HEAD", () => {
  it("names the permission, and how to find out who has not got it", async () => {
    await using box = await Box.open();
    await using directory = await makeDirectory();
    box.faults.before = () => new Response(null, { status: 403 });
    const { code, stdout, stderr } = await runInProcess(
      ["download-model", "s3://bucket/model.tar.gz", "--to", "model"],
      { cwd: directory.path, cloud: box.env() },
    );
    assertEquals([code, stdout, stderr], [
      1,
      "",
      "error: AccessDeniedException: s3:GetObject\n" +
      "hint: Add the permission s3:GetObject to your user or role. To see its name, run " +
      "aws sts get-caller-identity\n",
    ]);
  });
});

suite("keys that XML cannot hold", () => {
  it("are deleted too, with all others", async () => {
    await using box = await Box.open();
    await using directory = await makeDirectory({ "data/a.csv": "1\n" });
    box.s3.createBucket("bucket");
    const keys = ["a.csv", "ctl\x01x", "cr\rx", "new\nline", "<&>", "tab\tx", "\ufffe", "other"];
    for (const key of keys) await box.s3.put("bucket", `data/${key}`, "1");
    const { code, stdout, stderr } = await runInProcess(
      ["upload-data", "-i", "data", "--target-dir", "s3://bucket/data", "--delete"],
      { cwd: directory.path, cloud: box.env() },
    );
    assertEquals([code, stdout, stderr], [
      0,
      "s3://bucket/data/\n",
      "Uploaded 1 file (2 bytes), deleted 7 objects\n",
    ]);
    assertEquals(box.s3.keys("bucket"), ["data/a.csv"]);
  });

  it("are named where they may not be deleted", async () => {
    await using box = await Box.open();
    await using directory = await makeDirectory({ "data/a.csv": "1\n" });
    box.s3.createBucket("bucket");
    await box.s3.put("bucket", "data/ctl\x01x", "1");
    box.faults.deny("s3:DeleteObject");
    const { code, stdout, stderr } = await runInProcess(
      ["upload-data", "-i", "data", "--target-dir", "s3://bucket/data", "--delete"],
      { cwd: directory.path, cloud: box.env() },
    );
    assertEquals([code, stdout, stderr.split("\n").slice(0, 2)], [1, "", [
      "error: Cannot delete 1 object in s3://bucket/",
      "  data/ctl?x: AccessDeniedException: s3:DeleteObject",
    ]]);
  });
});
