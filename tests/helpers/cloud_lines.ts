import { MODEL } from "./deploy_app.ts";
import { BUCKET, type JobApp } from "./job_app.ts";

export const DATA = `s3://${BUCKET}/app/data`;
export const TRAIN = ["train", "-i", DATA, "-o", `s3://${BUCKET}/out`, "-e", "ml.m5.large"];
export const PROCESS = ["process", "-f", "p.py", ...TRAIN.slice(1)];

export const TRANSFORM = [
  ...["transform", "-i", DATA, "-o", `s3://${BUCKET}/out`, "-e", "ml.m5.large"],
  ...["--content-type", "text/csv"],
];

/** @returns the name of a transform that there is, with a model of its own. */
export async function transformed({ run }: JobApp): Promise<string> {
  return (await run([...TRANSFORM, "-m", MODEL, "--no-wait"])).stdout.trim();
}

/** @returns the name of a training job that there is. */
export async function trained({ run }: JobApp): Promise<string> {
  return (await run([...TRAIN, "--no-wait"])).stdout.trim();
}

/** @returns the command line for the model of a training job that has ended. */
export async function downloadOfTrained(job: JobApp): Promise<readonly string[]> {
  const name = await trained(job);
  await job.run(["wait", name]);
  return ["download-model", name, "--to", "elsewhere"];
}

/** @returns the command line for an answer of an endpoint that there is. */
export async function invocation({ box, app }: JobApp): Promise<readonly string[]> {
  box.endpoints.add("churn");
  box.endpoints.answer = () => ({ body: "7\n" });
  await app.write(`${app.directory}/rows.csv`, "1\n");
  return ["invoke-endpoint", "-n", "churn", "rows.csv"];
}
