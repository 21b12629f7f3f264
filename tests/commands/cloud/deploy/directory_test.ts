import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { callsIn, LEAST, makeDeployApp } from "../../../helpers/deploy_app.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { BUCKET, CONFIGURATION, type JobApp } from "../../../helpers/job_app.ts";
import { it, suite } from "../../../helpers/suite.ts";
import { tarGz } from "../../../helpers/tar.ts";

/** The command line of a new endpoint with another model. */
function withModel(model: string): readonly string[] {
  return [...LEAST.slice(0, -1), model];
}

/** Keys of the models that have been sent. */
function sent({ box }: JobApp): readonly string[] {
  return box.s3.keys(BUCKET, "app/models/");
}

async function appWithDirectory(): Promise<JobApp> {
  const job = await makeDeployApp();
  await Deno.mkdir(join(job.app.directory, "trained"));
  await Deno.writeTextFile(join(job.app.directory, "trained/model.txt"), "seven");
  return job;
}

suite("deploy of a directory", () => {
  it("sends it, and has it served; once more, nothing is sent or made", async () => {
    await using job = await appWithDirectory();
    const first = await job.run(withModel("trained"));
    assertEquals([first.code, first.stdout], [0, "shop\n"], first.stderr);
    const [key, ...others] = sent(job);
    assertEquals(others, []);
    assertMatch(key!, /^app\/models\/shop\/[0-9a-f]{16}\/model\.tar\.gz$/);
    const model = job.box.endpoints.models.get("shop-mlcli")!.request as {
      readonly PrimaryContainer: { readonly ModelDataUrl: string };
    };
    assertEquals(model.PrimaryContainer.ModelDataUrl, `s3://${BUCKET}/${key}`);
    // Sent before anything is made that needs it.
    const { operations } = job.box;
    const [put, create] = ["s3:PutObject", "sagemaker:CreateModel"].map((one) =>
      operations.lastIndexOf(one)
    );
    assertEquals(put! < create!, true);

    const again = await job.run(withModel("trained"));
    assertEquals([again.code, again.stdout], [0, "shop\n"], again.stderr);
    const made = job.box.operations.filter((name) => /PutObject|Create/.test(name));
    assertEquals(made.length, operations.filter((name) => /PutObject|Create/.test(name)).length);

    await Deno.writeTextFile(join(job.app.directory, "trained/model.txt"), "eight");
    const update = await job.run(withModel("trained"));
    assertEquals(update.code, 0, update.stderr);
    assertStringIncludes(update.stderr, "Changes: model data");
    // The one before stays: nobody knows who else uses it.
    assertEquals(sent(job).length, 2);
  });

  it("may lie anywhere where the user names it, and in the app where its file does", async () => {
    await using outside = await makeDirectory({ "model/m": "m" });
    for (const flag of ["-m", "--model", "--s3-model-location"]) {
      await using job = await makeDeployApp();
      const args = [...LEAST.slice(0, -2), flag, join(outside.path, "model"), "--dry-run"];
      const { code, stderr } = await job.run(args);
      assertEquals(code, 0, `${flag}: ${stderr}`);
    }
    for (const [model, words] of [[join(outside.path, "model"), /is outside/], ["in", /^$/]]) {
      await using job = await makeDeployApp({
        configuration: { ...CONFIGURATION, deploy: { model } },
      });
      await Deno.mkdir(join(job.app.directory, "in"), { recursive: true });
      await Deno.writeTextFile(join(job.app.directory, "in/m"), "m");
      const { code, stderr } = await job.run([...LEAST.slice(0, -2), "--dry-run"]);
      assertMatch(code === 0 ? "" : stderr, words as RegExp);
    }
  });

  it("is only planned by a dry run", async () => {
    await using job = await appWithDirectory();
    const { code, stdout, stderr } = await job.run([...withModel("trained"), "--dry-run"]);
    assertEquals(code, 0, stderr);
    assertEquals(sent(job), []);
    const { actions, model } = callsIn(stdout);
    assertEquals(actions[0], "s3:PutObject");
    assertMatch(
      model.PrimaryContainer.ModelDataUrl,
      /^s3:\/\/job-data\/app\/models\/shop\/[0-9a-f]{16}\/model\.tar\.gz$/,
    );
  });

  it("that is refused makes nothing", async () => {
    await using job = await appWithDirectory();
    await Deno.symlink("/etc/hostname", join(job.app.directory, "trained/link"));
    const { code, stdout, stderr } = await job.run(withModel("trained"));
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(
      stderr,
      `trained/link points outside ${job.app.directory}/trained, to /etc/hostname`,
    );
    assertEquals(sent(job), []);
    assertEquals(job.box.operations.filter((name) => /Create|Update|Put/.test(name)), []);
  });

  it("whose sending is denied makes nothing", async () => {
    await using job = await appWithDirectory();
    job.box.faults.deny("s3:PutObject");
    const { code, stderr } = await job.run(withModel("trained"));
    assertEquals(code, 1);
    assertStringIncludes(stderr, "error: AccessDeniedException: s3:PutObject");
    assertEquals(job.box.operations.filter((name) => /Create|Update/.test(name)), []);
  });
});

suite("deploy: where the model of a directory goes", () => {
  /** An app with a directory and this place for it. */
  async function appWithPlace(s3_prefix: string | undefined): Promise<JobApp> {
    const job = await makeDeployApp({ configuration: { ...CONFIGURATION, s3_prefix } });
    await job.app.write(join(job.app.directory, "trained/m"), "m");
    return job;
  }

  it("has to be configured", async () => {
    await using job = await appWithPlace(undefined);
    const { code, stderr } = await job.run(withModel("trained"));
    assertEquals(code, 2);
    assertMatch(stderr, /^hint: Add "s3_prefix": "s3:\/\/BUCKET\/PREFIX" to [\w-]+\.json/m);
  });

  for (
    const [title, options, words] of [
      ["has to be there", undefined, /^error: The bucket place does not exist$/m],
      [
        "has to be in the endpoint's region",
        { region: "us-west-2" },
        /^error: The bucket place is in us-west-2, but the endpoint runs in eu-west-1$/m,
      ],
      [
        "has to be the caller's own",
        { owner: "999999999999" },
        /^error: AccessDeniedException: s3/m,
      ],
    ] as const
  ) {
    it(title, async () => {
      await using job = await appWithPlace("s3://place/x");
      if (options) job.box.s3.createBucket("place", options);
      const { code, stderr } = await job.run(withModel("trained"));
      assertEquals(code, 1);
      assertMatch(stderr, words);
      assertEquals(job.box.operations.filter((name) => /sagemaker:(Create|Update)/.test(name)), []);
      if (options) assertEquals(job.box.s3.keys("place"), []);
    });
  }

  it("gets the model again where nobody may look whether it is there", async () => {
    await using job = await appWithPlace(CONFIGURATION.s3_prefix);
    job.box.faults.deny("s3:GetObject");
    for (const value of ["one", "two"]) {
      assertEquals((await job.run([...withModel("trained"), "--env", `A=${value}`])).code, 0);
      assertEquals(sent(job).length, 1);
    }
    assertEquals(job.box.operations.filter((name) => name === "s3:PutObject").length, 2);
  });
});

suite("deploy of an archive in S3", () => {
  it("reads it, and sends nothing", async () => {
    await using job = await makeDeployApp();
    assertEquals((await job.run(LEAST)).code, 0);
    assertEquals(job.box.operations.filter((name) => name.startsWith("s3:")), [
      ...["s3:HeadBucket", "s3:HeadObject", "s3:GetObject"],
    ]);
  });

  it("that SageMaker cannot unpack makes nothing", async () => {
    await using job = await makeDeployApp();
    await job.box.s3.put(BUCKET, "bad.tar.gz", await tarGz([{ name: "../../m" }]));
    const { code, stdout, stderr } = await job.run(withModel(`s3://${BUCKET}/bad.tar.gz`));
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(
      stderr,
      `error: SageMaker cannot unpack s3://${BUCKET}/bad.tar.gz: ../../m points outside the archive`,
    );
    assertEquals(job.box.operations.filter((name) => /Create|Update/.test(name)), []);
  });

  it("that looks like a mistake is deployed, and that is said", async () => {
    await using job = await makeDeployApp();
    await job.box.s3.put(BUCKET, "below.tar.gz", await tarGz([{ name: "model/m" }]));
    const { code, stderr } = await job.run(withModel(`s3://${BUCKET}/below.tar.gz`));
    assertEquals(code, 0, stderr);
    assertStringIncludes(stderr, `Everything in s3://${BUCKET}/below.tar.gz is inside model/, `);
  });
});
