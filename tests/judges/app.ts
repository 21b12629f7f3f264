import { join } from "@std/path";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { Box } from "../helpers/box/box.ts";
import { EXECUTION_ROLE } from "../helpers/box/jobs/job_store.ts";
import { pushBuilt } from "../helpers/box/pushed_image.ts";
import { removeVolumes } from "../helpers/engine.ts";
import { makeWheel } from "../helpers/package_index.ts";

/** What a judge gets: code in `src/`, in an image. */
export interface Judged {
  readonly configuration: Readonly<Record<string, unknown>>;
  /** @param wheel name of a package's file beside the code: `mlcli_probe`, a module of that name. */
  readonly code: (wheel: string) => Readonly<Record<string, string>>;
  /** Below the directory of the test data. */
  readonly data?: Readonly<Record<string, string>>;
}

/** An app with code that needs a package. What pip has kept for it goes with it. */
export async function judgedApp({ configuration, code, data = {} }: Judged): Promise<TestApp> {
  const app = await makeApp({ configuration: { source_dir: "src", ...configuration } });
  const wheel = await makeWheel("mlcli_probe", "1.0");
  const source = (name: string) => join(app.directory, "src", name);
  await app.write(source(wheel.name), wheel.bytes);
  for (const [name, text] of Object.entries(code(wheel.name))) await app.write(source(name), text);
  for (const [name, text] of Object.entries(data)) await app.write(app.testPath(name), text);
  return {
    ...app,
    async [Symbol.asyncDispose]() {
      await removeVolumes(app.name);
      await app[Symbol.asyncDispose]();
    },
  };
}

/** SageMaker, with the image in a repository of another account's. */
export async function platformWith(
  image: string,
): Promise<{ readonly box: Box; readonly reference: string }> {
  const box = await Box.open({ registry: true, jobs: true, endpoints: true });
  try {
    const [account, name] = ["111122223333", "team/judge"];
    const digest = await pushBuilt(box, `account-${account}/${name}`, {
      Dockerfile: `FROM ${image}\n`,
    });
    box.ecr.store.of(account, name)!.tags.set("1", digest.split("@")[1]!);
    box.s3.createBucket("bucket");
    await box.s3.put("bucket", "data/a.csv", "1\n");
    box.roles.add(EXECUTION_ROLE);
    return { box, reference: `${account}.dkr.ecr.eu-west-1.amazonaws.com/${name}:1` };
  } catch (error) {
    await box[Symbol.asyncDispose]();
    throw error;
  }
}
