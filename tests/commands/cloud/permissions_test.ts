import { assert, assertEquals } from "@std/assert";
import { removeTreeIfThere } from "../../../runtime/files.ts";
import {
  DATA,
  downloadOfTrained,
  invocation,
  PROCESS,
  TRAIN,
  trained,
  TRANSFORM,
  transformed,
} from "../../helpers/cloud_lines.ts";
import {
  CLOUD_COMMANDS,
  except,
  type Exceptions,
  openStage,
  wordsOf,
} from "../../helpers/command_lines.ts";
import type { InProcessOptions } from "../../helpers/in_process.ts";
import { LEAST, makeDeployApp, MODEL } from "../../helpers/deploy_app.ts";
import { putImage } from "../../helpers/box/images.ts";
import { BUCKET, type JobApp } from "../../helpers/job_app.ts";
import { permissionTable } from "../../helpers/permission_table.ts";
import { it, suite } from "../../helpers/suite.ts";

/** A row of the table, and a command line of it. */
type Row = readonly [
  row: string,
  args: readonly string[] | ((job: JobApp) => Promise<readonly string[]>),
  /** The second call has more words, because the command has no effect twice. */
  again?: readonly string[],
];

const ROWS: readonly Row[] = [
  ["init --from training-job/NAME", async (job) => {
    const name = await trained(job);
    return ["init", "--from", `training-job/${name}`, "--data", "1MB"];
  }],
  ["upload-data", ["upload-data", "-i", "data", "--target-dir", DATA]],
  ["upload-data --delete", ["upload-data", "-i", "data", "--target-dir", DATA, "--delete"]],
  ["train", [...TRAIN, "--tag", "team=churn"]],
  ["train --entry-point", async ({ app }) => {
    await app.write(`${app.directory}/src/train.py`, "");
    return [...TRAIN, "--source-dir", "src", "--entry-point", "train.py"];
  }, ["--launcher", "script"]],
  ["process", PROCESS],
  ["process --entry-point", async ({ app }) => {
    await app.write(`${app.directory}/src/clean.py`, "");
    return ["process", ...TRAIN.slice(1), "--source-dir", "src", "--entry-point", "clean.py"];
  }],
  ["process --image", async ({ box }) => {
    const image = "141502667606.dkr.ecr.eu-west-1.amazonaws.com/sagemaker-scikit-learn";
    const repository = box.ecr.store.addOf("141502667606", "sagemaker-scikit-learn");
    await putImage(box.ecr, repository, { tag: "1.9-0" });
    return ["process", ...TRAIN.slice(1), "--image", `${image}:1.9-0`];
  }],
  ["transform", [...TRANSFORM, "-m", MODEL, "--tag", "team=churn"]],
  ["transform", ({ box, image }) => {
    box.endpoints.addModel("theirs", { PrimaryContainer: { Image: image, ModelDataUrl: MODEL } });
    return Promise.resolve([...TRANSFORM, "-m", "theirs"]);
  }],
  ["transform --job", async (job) => {
    const name = await trained(job);
    await job.run(["wait", name]);
    return [...TRANSFORM, "--job", name];
  }],
  ["transform --endpoint", async (job) => {
    await job.run(LEAST);
    return [...TRANSFORM, "--endpoint", "shop"];
  }],
  ["deploy", [...LEAST, "--tag", "team=churn"], ["--env", "A=1"]],
  ["deploy", async ({ run }) => {
    await run(LEAST);
    return [...LEAST, "--tag", "team=churn", "--data-capture", `s3://${BUCKET}/captured`];
  }, ["--env", "A=1"]],
  ["deploy -m DIR", async ({ app }) => {
    await app.write(`${app.directory}/model/model.txt`, "seven");
    return ["deploy", "-n", "shop", "-e", "ml.m5.large", "-m", "model"];
  }, ["--env", "A=1"]],
  ["describe", async (job) => ["describe", await trained(job)]],
  ["describe", async (job) => ["describe", await transformed(job)]],
  ["wait", async (job) => ["wait", await trained(job)]],
  ["wait for a transform", async (job) => ["wait", await transformed(job)]],
  ["logs", async (job) => ["logs", await trained(job)]],
  ["stop-job", async (job) => ["stop-job", await trained(job)]],
  ["stop-job for a transform", async (job) => ["stop-job", await transformed(job), "--wait"]],
  ["download-model", downloadOfTrained],
  ["download-output", async (job) => {
    const name = await transformed(job);
    await job.box.s3.put(BUCKET, "out/a.csv.out", "1");
    await job.run(["wait", name]);
    return ["download-output", name, "--to", "elsewhere"];
  }],
  ["invoke-endpoint --stream", async (job) => [...await invocation(job), "--stream"]],
];

/** If tags cannot be set, mlcli does not create a job with the user's tags. */
const ONLY_WITH_ITS_OWN = (args: readonly string[]): readonly string[] =>
  args.filter((arg) => arg !== "--tag" && arg !== "team=churn");

/** Runs a command line with the permissions of a row, and with those that it cannot do without. */
async function assertPermissions(
  job: JobApp,
  [row, args, again = []]: readonly [
    row: string,
    args: readonly string[],
    again?: readonly string[],
  ],
  options: Partial<InProcessOptions> = {},
): Promise<void> {
  const permissions = (await permissionTable()).get(row);
  assert(permissions, `docs/reference/roles.md has no permissions of ${row}`);
  const { asked } = job.box.faults;
  asked.clear();
  const first = await job.run(args, options);
  assertEquals(first.code, 0, first.stderr);
  const { needs, isBetterWith } = permissions;
  const known = new Set([...needs, ...isBetterWith, "sts:GetCallerIdentity"]);
  assertEquals([...asked].filter((action) => !known.has(action)), [], first.stderr);
  assert(asked.size > 0);
  for (const action of isBetterWith) if (!needs.includes(action)) job.box.faults.deny(action);
  await removeTreeIfThere(`${job.app.directory}/elsewhere`);
  const second = await job.run([...ONLY_WITH_ITS_OWN(args), ...again], options);
  assertEquals(second.code, 0, second.stderr);
}

/** Commands that `endpoints/permissions_test.ts` tests. */
const EXCEPTIONS: Exceptions = {
  "list-endpoints": "about endpoints",
  "delete-endpoint": "about endpoints",
};

suite("permissions of commands", () => {
  const others = except(CLOUD_COMMANDS, EXCEPTIONS)
    .filter((name) => ROWS.every(([row]) => row !== name));
  for (const name of others) {
    it(`mlcli ${name}: needs only the permissions in docs/reference/roles.md, and works without the optional ones`, async () => {
      await using stage = await openStage();
      await assertPermissions(stage, [name, wordsOf(name)], { engine: stage.engineOf(name) });
    });
  }

  for (const [row, given, again] of ROWS) {
    const isFunction = typeof given === "function" ? " (of what there is)" : "";
    it(`mlcli ${row}${isFunction}: needs only the permissions in docs/reference/roles.md, and works without the optional ones`, async () => {
      await using job = await makeDeployApp();
      await job.app.write(`${job.app.directory}/data/a.csv`, "1\n");
      const args = typeof given === "function" ? await given(job) : given;
      await assertPermissions(job, [row, args, again]);
    });
  }
});
