import type { App } from "../app/app.ts";
import type { Aws } from "../aws/aws.ts";
import { regionWords } from "../aws/settings.ts";
import { type CloudChoice, connectToAws } from "../cloud/connection.ts";
import type { Context } from "../context.ts";
import { studioAt } from "../docker/studio.ts";
import { warning } from "../messages.ts";
import { type Check, guarded, ok, withoutRepeats } from "./check.ts";

type Host = Pick<Context, "cwd" | "env" | "aws" | "system">;

/**
 * Checks the credentials, the connection to SageMaker, and the execution role. Needs no app.
 *
 * @param app `undefined`: there is no app, or it is broken.
 */
export async function cloudChecks(
  choice: CloudChoice,
  app: Promise<App | undefined>,
  host: Host,
): Promise<readonly Check[]> {
  let aws: Aws | undefined;
  const answer = await guarded("cloud", async () => {
    aws = await connectToAws(choice, host);
    return [await answerCheck(aws)];
  });
  // If the credentials or the network fail, STS would repeat the error.
  const identity = aws === undefined ? [] : withoutRepeats([
    ...answer,
    ...await guarded("credentials", async () => [await identityCheck(aws!)], "unknown"),
  ]).slice(answer.length);
  return [...identity, ...answer, { name: "role", ...roleCheck(choice, await app, host) }];
}

/** Asks for one page of endpoints: that takes credentials, a region and a permission. */
async function answerCheck(aws: Aws): Promise<Check> {
  const sagemaker = await aws.sagemaker();
  const pages = sagemaker.listEndpoints({});
  await pages.next();
  await pages.return(undefined);
  return ok(`Connected to SageMaker in ${regionWords(sagemaker.region)}`);
}

/** Needs no permission. */
async function identityCheck(aws: Aws): Promise<Check> {
  const { arn, source } = await (await aws.sts()).identity();
  return ok(`The credentials from ${source} belong to ${arn}`);
}

/** The role that SageMaker would assume, and who names it, in the order that `mlcli train` takes. */
function roleCheck(
  { iamRoleArn }: CloudChoice,
  app: App | undefined,
  { env, system }: Pick<Host, "env" | "system">,
): Check {
  const places = [
    [env("MLCLI_EXECUTION_ROLE"), "MLCLI_EXECUTION_ROLE"],
    [app?.configuration.executionRole, `execution_role in ${app?.name}.json`],
    [iamRoleArn?.value, iamRoleArn?.where],
  ] as const;
  const [role, source] = places.find(([value]) => value) ?? [];
  if (role !== undefined) return ok(`Jobs and endpoints run as ${role} (${source})`);
  return warning(
    "No execution role is set, but mlcli train, process and deploy require one",
    'Set it with "execution_role" in the configuration file, MLCLI_EXECUTION_ROLE or ' +
      "--execution-role" +
      (studioAt(system.root) === undefined
        ? ""
        : ". In Python, sagemaker.get_execution_role() returns the role of this space."),
  );
}
