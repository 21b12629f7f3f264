import { assertEquals, assertMatch } from "@std/assert";
import { runCloud } from "../../helpers/cloud.ts";
import { REGION } from "../../helpers/box/account.ts";
import { Box } from "../../helpers/box/box.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

type Files = Readonly<Record<string, unknown>>;

/** Lists endpoints in a directory that holds these files; `undefined` when nothing was asked. */
async function regionAsked(
  files: Files,
  args: readonly string[] = [],
): Promise<{ code: number; stderr: string; region: string | undefined }> {
  const texts = Object.entries(files).map(([name, content]) => [name, JSON.stringify(content)]);
  await using directory = await makeDirectory(Object.fromEntries(texts));
  await using aws = await Box.open();
  const options = { cwd: directory.path };
  const { code, stderr } = await runCloud(aws, ["list-endpoints", ...args], options);
  return { code, stderr, region: aws.requests[0]?.authorization.region };
}

suite("the cloud commands and the apps' configuration", () => {
  const churn = { cloud_region: "us-west-1" };
  const fraud = { cloud_region: "us-west-2" };

  it("ask the region of the file before that of the environment, and say so", async () => {
    assertEquals(await regionAsked({ "churn.json": churn }), {
      code: 0,
      stderr: "note: The region is us-west-1 (cloud_region in churn.json), " +
        `not ${REGION} (AWS_REGION)\n`,
      region: "us-west-1",
    });
  });

  it("need no configuration file", async () => {
    const { code, region } = await regionAsked({ "package.json": { name: "x" } });
    assertEquals([code, region], [0, REGION]);
  });

  it("ask for --app-name when several apps name different regions", async () => {
    const files = { "churn.json": churn, "fraud.json": fraud };
    const { code, stderr, region } = await regionAsked(files);
    assertEquals([code, region], [1, undefined]);
    assertMatch(
      stderr,
      /^error: .+ contains several apps: churn, fraud\nhint: .*--app-name churn.*\n$/,
    );
  });

  it("take the one that --app-name or -a names", async () => {
    const files = { "churn.json": churn, "fraud.json": fraud };
    for (const option of ["--app-name", "-a"]) {
      assertEquals((await regionAsked(files, [option, "fraud"])).region, "us-west-2");
    }
  });

  it("do not mind several apps that agree, or whose difference does not matter", async () => {
    assertEquals((await regionAsked({ "a.json": churn, "b.json": churn })).region, "us-west-1");
    const different = { "a.json": churn, "b.json": fraud };
    const { region } = await regionAsked(different, ["--region", "ap-east-1"]);
    assertEquals(region, "ap-east-1");
  });

  it("say that there is no app of that name", async () => {
    const { code, stderr, region } = await regionAsked({ "churn.json": churn }, ["-a", "fruad"]);
    assertEquals([code, region], [1, undefined]);
    assertMatch(
      stderr,
      /^error: App not found in .+: fruad\nhint: Use an app in this directory: /,
    );
  });

  it("say which file and key is wrong", async () => {
    const { code, stderr, region } = await regionAsked({ "churn.json": { cloud_region: 7 } });
    assertEquals([code, region], [1, undefined]);
    assertMatch(stderr, /^error: churn\.json: "cloud_region" must be a region/);
  });

  it("take the profile that the configuration file names", async () => {
    const { code, stderr } = await regionAsked({ "churn.json": { cloud_profile: "wrok" } });
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /^error: AWS profile "wrok" not found\nhint: Check cloud_profile in churn\.json: /,
    );
  });
});
