import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { changesOf, makeDeployApp, MODEL } from "../../../helpers/deploy_app.ts";
import { fakeContainers } from "../../../helpers/fake_containers.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import type { InProcessOptions } from "../../../helpers/in_process.ts";
import { CONFIGURATION, type JobApp } from "../../../helpers/job_app.ts";
import { jsonAnswer } from "../../../helpers/box/answers.ts";
import { it, suite } from "../../../helpers/suite.ts";

const TYPED = ["-n", "shop"];
const DRY = ["deploy", "--dry-run"];
const UNKNOWN = /^error: Endpoint "shop" already exists \(account 123456789012, eu-west-1\), but /m;

/** A repository whose file names an endpoint. */
function cloned(model = MODEL): Promise<JobApp> {
  const deploy = { endpoint_name: "shop", model, ec2_type: "ml.m5.large" };
  return makeDeployApp({ configuration: { ...CONFIGURATION, deploy } });
}

/** An endpoint that somebody else made. */
function addShop({ box, image }: JobApp): void {
  const Environment = { TOKEN: "very-secret" };
  box.endpoints.add("shop", { image, container: { ModelDataUrl: MODEL, Environment } });
}

/** Fails where a command line does not end so: with words of an error, or without one. */
async function ends(
  job: JobApp,
  args: readonly string[],
  words?: RegExp,
  options: Partial<InProcessOptions> = {},
): Promise<void> {
  const { code, stderr } = await job.run(args, options);
  assertEquals(code, words ? 1 : 0, stderr);
  if (words) assertMatch(stderr, words);
}

suite("deploy to an endpoint that only the file names", () => {
  it("tries nothing, sends nothing and changes nothing where it is there", async () => {
    await using job = await cloned("weights");
    await job.app.write(join(job.app.directory, "weights/m"), "7");
    addShop(job);
    await using engine = await fakeContainers({ image: { Architecture: "amd64", Os: "linux" } });
    for (const args of [["deploy"], DRY]) {
      const { code, stdout, stderr } = await job.run(args, { engine });
      assertEquals([code, stdout], [1, ""], stderr);
      assertMatch(stderr, UNKNOWN);
      assertStringIncludes(
        stderr,
        "type the name once: --endpoint-name shop, or MLCLI_ENDPOINT_NAME",
      );
      assertEquals([changesOf(job), engine.calls], [[], []]);
      const asked = job.box.operations.filter((name) => !name.startsWith("sagemaker:Describe"));
      assertEquals(asked.filter((name) => name !== "sagemaker:ListTags"), []);
    }
  });

  it("goes on once it was typed there, in this region, and not by a dry run", async () => {
    await using job = await cloned();
    addShop(job);
    await ends(job, [...DRY, ...TYPED]);
    await ends(job, DRY, UNKNOWN);
    await ends(job, ["deploy", ...TYPED]);
    await ends(job, DRY);
    await ends(job, [...DRY, "--region", "us-east-1"], /\(account 123456789012, us-east-1\)/);
    // Another clone of the same, with the state of the same person.
    await using other = await makeDirectory({ "x/y": "" });
    const file = `${job.app.name}.json`;
    await Deno.copyFile(join(job.app.directory, file), join(other.path, file));
    await ends(job, DRY, UNKNOWN, { cwd: other.path });
  });

  it("takes a variable for typed, before the file", async () => {
    await using job = await cloned();
    addShop(job);
    await ends(job, DRY, undefined, { env: { MLCLI_ENDPOINT_NAME: "shop" } });
    const { stdout } = await job.run(DRY, { env: { MLCLI_ENDPOINT_NAME: "other" } });
    assertStringIncludes(stdout, '"EndpointName": "other"');
  });

  it("goes on where it was made from there", async () => {
    await using job = await cloned();
    await ends(job, ["deploy"]);
    await ends(job, ["deploy", "--env", "A=b"]);
  });

  it("is not taken for made there where that failed", async () => {
    await using job = await cloned();
    job.box.faults.deny("sagemaker:CreateEndpoint");
    await ends(job, ["deploy"], /AccessDenied/);
    addShop(job);
    await ends(job, ["deploy"], UNKNOWN);
  });

  it("is of the account that made it, whatever account the file's role has", async () => {
    const role = "arn:aws:iam::999999999999:role/x";
    await using job = await makeDeployApp({
      configuration: {
        ...CONFIGURATION,
        deploy: { endpoint_name: "shop", model: MODEL, ec2_type: "ml.m5.large" },
        execution_role: role,
      },
    });
    // As an emulator, which takes any role.
    job.box.faults.before = ({ operation, input }) => {
      if (operation === "CreateModel") input.ExecutionRoleArn = CONFIGURATION.execution_role;
      return undefined;
    };
    await ends(job, ["deploy"]);
    const state = await Deno.readTextFile(join(job.app.state, "mlcli/state.json"));
    assertStringIncludes(state, '["123456789012/eu-west-1/shop"]');
  });

  it("remembers and changes no other than was asked for, whatever name SageMaker gives", async () => {
    await using job = await cloned();
    addShop(job);
    job.box.faults.after = async ({ operation }, answer) => {
      if (operation !== "DescribeEndpoint") return undefined;
      return jsonAnswer({ ...await answer.json(), EndpointName: "payments" });
    };
    await ends(
      job,
      ["deploy", ...TYPED, "--env", "A=b"],
      /^error: The response did not come from AWS: HTTP 200$/m,
    );
    assertEquals(changesOf(job), []);
    const state = join(job.app.state, "mlcli/state.json");
    await assertRejects(() => Deno.stat(state), Deno.errors.NotFound);
  });

  it("says what cannot be remembered, and deploys all the same", async () => {
    for (
      const [state, words] of [
        ["/dev/null", /\/dev\/null\/mlcli\/state\.json: Not a directory\)/m],
        ["relative", /\(Neither XDG_STATE_HOME nor HOME is set to an absolute path\)/m],
        ["broken", /state\.json: mlcli did not write this file\)/m],
      ] as const
    ) {
      await using job = await cloned();
      const broken = join(job.app.state, "mlcli/state.json");
      if (state === "broken") await job.app.write(broken, "[]");
      const env: Record<string, string> = state === "broken" ? {} : { XDG_STATE_HOME: state };
      const { code, stderr } = await job.run(["deploy"], { env });
      assertEquals(code, 0, stderr);
      assertMatch(stderr, words);
      await ends(job, ["deploy"], UNKNOWN, { env });
      if (state === "broken") assertEquals(await Deno.readTextFile(broken), "[]");
    }
  });
});
