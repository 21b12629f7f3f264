/**
 * From the edit of a script to the job's creation: `train --no-wait`, which sends the code, against
 * `tar` and Debian's `aws` with a request that is ready, to the same platform.
 */

import { join } from "@std/path";
import { putImage } from "../../tests/helpers/box/images.ts";
import type { Job } from "../../tests/helpers/box/jobs/job.ts";
import { BUCKET, CONFIGURATION, makeJobApp } from "../../tests/helpers/job_app.ts";
import { AWS, ensureAws, NO_SETTINGS } from "./aws.ts";
import type { Comparison } from "./measure.ts";
import { mlcli, run } from "./program.ts";

/** An image of AWS's with the toolkit, in the region of the box. */
const IMAGE = {
  account: "141502667606",
  repository: "sagemaker-scikit-learn",
  tag: "1.9-0",
  name: "141502667606.dkr.ecr.eu-west-1.amazonaws.com/sagemaker-scikit-learn:1.9-0",
} as const;

const ARCHIVE = "sourcedir.tar.gz";

/** The comparison, and the platform that is asked, on loopback. */
export interface ScriptJobBench extends AsyncDisposable {
  readonly comparison: Comparison;
}

/** Starts the platform. Undefined when Debian's aws is not there, and cannot be installed. */
export async function makeScriptJobBench(signal: AbortSignal): Promise<ScriptJobBench | undefined> {
  if (!await ensureAws(signal)) return undefined;
  const job = await makeJobApp({
    configuration: {
      ...CONFIGURATION,
      image: IMAGE.name,
      source_dir: "src",
      launcher: "toolkit",
      train: { entry_point: "train.py" },
    },
  });
  const { box } = job;
  await putImage(box.ecr, box.ecr.store.addOf(IMAGE.account, IMAGE.repository), { tag: IMAGE.tag });
  const { directory } = job.app;
  const script = join(directory, "src/train.py");
  await job.app.write(script, "print('training')\n");
  const options = {
    cwd: directory,
    env: {
      ...box.env(),
      AWS_DEFAULT_REGION: box.env().AWS_REGION ?? "",
      XDG_STATE_HOME: job.app.state,
      ...NO_SETTINGS,
    },
  };
  let count = 0;

  /** Edits the script, times what is run then, and looks for the job and its code on the platform. */
  async function timed(lines: readonly (readonly [string, ...string[]])[]): Promise<number> {
    await Deno.writeTextFile(script, `# edit ${++count}\n`, { append: true });
    const before = box.jobs.all.length;
    const start = performance.now();
    for (const line of lines) await run(line, options);
    const taken = performance.now() - start;
    const [prefix] = box.jobs.all.slice(before).map(({ request }) => codeOf(request).S3Uri);
    const key = `${prefix}${ARCHIVE}`.replace(`s3://${BUCKET}/`, "");
    if (box.s3.keys(BUCKET, key).length !== 1) throw new Error("No job has got the edited code");
    return taken;
  }

  /** Writes the request that mlcli has sent, for another job and code, and returns what to run. */
  async function theirLines(): Promise<readonly (readonly [string, ...string[]])[]> {
    const name = `theirs-${count}`;
    const prefix = `s3://${BUCKET}/theirs/${name}/source/`;
    const request: Job["request"] = {
      ...structuredClone(box.jobs.all[0]!.request),
      TrainingJobName: name,
    };
    request.HyperParameters.sagemaker_job_name = JSON.stringify(name);
    codeOf(request).S3Uri = prefix;
    const file = join(directory, "request.json");
    await Deno.writeTextFile(file, JSON.stringify(request));
    const aws = [AWS, "--endpoint-url", box.url] as const;
    return [
      ["tar", "-czf", ARCHIVE, "-C", "src", "."],
      [...aws, "s3", "cp", "--quiet", ARCHIVE, `${prefix}${ARCHIVE}`],
      [...aws, "sagemaker", "create-training-job", "--cli-input-json", `file://${file}`],
    ];
  }

  const data = `s3://${BUCKET}/app/data`;
  const ours = mlcli(...["train", "--no-wait", "-i", data, "-e", "ml.m5.large"]);
  return {
    comparison: {
      title: "from a script's edit to its job",
      unit: "ms",
      ours: { command: "mlcli train --no-wait", measure: () => timed([ours]) },
      theirs: {
        command:
          "tar czf sourcedir.tar.gz -C src ., aws s3 cp, aws sagemaker create-training-job " +
          "(the same request)",
        measure: async () => await timed(await theirLines()),
      },
      goal: { atMost: 0.8 },
      rounds: 10,
    },
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}

/** Where a request has the channel of the code. */
function codeOf(request: Job["request"]): { S3Uri: string } {
  const channel = request.InputDataConfig.find(({ ChannelName }: { ChannelName: string }) =>
    ChannelName === "code"
  );
  return channel.DataSource.S3DataSource;
}
