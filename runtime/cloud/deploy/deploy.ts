import { basename } from "@std/path/basename";
import { shellWord } from "../../app/typed_path.ts";
import { AwsError, orNothing } from "../../aws/errors.ts";
import { regionWords } from "../../aws/settings.ts";
import { environmentDifferences } from "../../contract/differences.ts";
import { isOfProgram, servingVariables } from "../../contract/launch.ts";
import { checkDeployedName } from "../../contract/names.ts";
import { Interrupted, MlcliError } from "../../errors.ts";
import { isRemembered, type Remembered, rememberIfPossible } from "../../app/state.ts";
import { inOneLine } from "../../text.ts";
import { connectFor } from "../connection.ts";
import { confirmFirstUse, instancesText } from "../first_use.ts";
import type { CloudResult } from "../jobs/follow.ts";
import { tellConsole } from "../jobs/job.ts";
import { requireNone } from "../start/checks.ts";
import { containerOf, type Variant } from "./kept.ts";
import { check } from "./check.ts";
import { dryRun } from "./dry_run.ts";
import { finish, leaveAsItIs, type Target } from "./finish.ts";
import { make } from "./make.ts";
import {
  type CheckedRequest,
  checkedRequest,
  type DeployContext,
  type DeployHost,
  type DeployRequest,
  withoutInstances,
} from "./request.ts";
import { type State, stateOf } from "./state.ts";

/**
 * Creates an endpoint that serves a model, or updates an endpoint to serve another model. Checks everything
 * before it creates anything. After any failure, the endpoint keeps serving the previous model.
 *
 * @throws UsageError for options that are missing or exclude each other; MlcliError for settings that
 * SageMaker would reject, and if the endpoint serves another model or none in the end.
 */
export async function deploy(
  asked: DeployRequest,
  host: DeployHost,
): Promise<CloudResult | { readonly calls: readonly unknown[] }> {
  const { messages, waiting } = host;
  const request = checkedRequest(withoutInstances(asked, messages));
  const { value: name } = request.endpointName;
  checkDeployedName(name);
  const aws = await connectFor(request.app, request, host);
  const sagemaker = await aws.sagemaker();
  const context = await beforeAnyChange(host, async () => {
    waiting.show(`Checking endpoint ${name}`);
    const state = await stateOf(name, sagemaker, messages);
    const complete = withVariables(request, state, sagemaker.region.value);
    const context = { request: complete, state, aws, sagemaker, host };
    await requireTyped(context);
    return context;
  });
  const { state } = context;
  await using checked = await beforeAnyChange(host, () => check(context));
  const { action, changes, model, deployment, inTheWay } = checked;
  if (request.dryRun) return { calls: dryRun(checked, context) };
  if (state.description) await rememberEndpoint(context, state.description.account);
  if (action === "nothing") return await leaveAsItIs(context);
  if (action === "follow") {
    messages.state(`Endpoint ${state.endpoint} is already changing to this version`);
    return await finish(targetOf(state), true, context);
  }
  if (action === "update") {
    const status = inOneLine(state.description?.status || "in an unknown status");
    messages.state(
      changes.length === 0
        ? `Endpoint ${state.endpoint} is ${status}, so mlcli deploys it again`
        : `Changes: ${changes.join(", ")}`,
    );
  }
  const [variant] = deployment.configuration.ProductionVariants!;
  const does = action === "update" ? "updates" : "creates";
  const use = `${does} endpoint ${state.endpoint} (${machinesText(variant!)})`;
  await beforeAnyChange(host, async () => {
    await confirmFirstUse({ ...context.request, does: use }, aws, host);
    await model.send();
    await requireUnchanged(context);
  });
  const { made, withOwnTags, account, arn } = await make(deployment, inTheWay, context);
  if (!state.description) await rememberEndpoint(context, account);
  const verb = action === "update" ? "Updating" : "Creating";
  messages.state(`${verb} endpoint ${state.endpoint} in ${regionWords(sagemaker.region)}`);
  tellConsole({ kind: "endpoint", name: state.endpoint, arn }, messages);
  const target = {
    arn,
    configuration: deployment.configuration.EndpointConfigName!,
    model: deployment.model.ModelName!,
    created: made.find(({ kind }) => kind === "configuration")?.created,
    made,
  };
  return await finish(target, withOwnTags, context);
}

/** Returns the machines of an endpoint in words: `1 x ml.m5.large`, `serverless, 2048 MB`. */
function machinesText({ ServerlessConfig, InitialInstanceCount, InstanceType }: Variant): string {
  return ServerlessConfig === undefined
    ? instancesText([{ type: InstanceType!, count: InitialInstanceCount! }])
    : `serverless, ${ServerlessConfig.MemorySizeInMB} MB`;
}

/** Adds the variables of the endpoint's code to a request. Variables of the user or of the endpoint win. */
function withVariables(request: CheckedRequest, { base }: State, region: string): CheckedRequest {
  const { code } = request;
  if (code === undefined) return request;
  const there = containerOf(base?.model)?.Environment ?? {};
  // Variables that do not name the code are set only if the request does not have them.
  const own = Object.entries(servingVariables(code.entryPoint, region))
    .filter(([name]) => isOfProgram(name) || there[name] === undefined);
  const variables = { ...Object.fromEntries(own), ...request.variables };
  requireNone(environmentDifferences("serve", variables));
  return { ...request, variables };
}

/** Does a step before anything is changed. Prints a warning if it is interrupted. */
async function beforeAnyChange<T>(
  { messages }: Pick<DeployHost, "messages">,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof Interrupted) messages.warning("Interrupted: nothing was changed");
    throw error;
  }
}

/**
 * Requires that the endpoint is unchanged since the checks: packing, testing and sending a model take
 * minutes.
 *
 * @throws AwsError if another user has changed it.
 */
async function requireUnchanged({ state, sagemaker }: DeployContext): Promise<void> {
  const { endpoint, description: before } = state;
  const now = await orNothing(sagemaker.describeEndpoint(endpoint));
  const isSame = now?.configuration === before?.configuration &&
    now?.pendingConfiguration === before?.pendingConfiguration &&
    now?.creationTime.getTime() === before?.creationTime.getTime();
  if (isSame) return;
  throw new AwsError("changed", `Another deployment to ${endpoint} ran at the same time`, {
    hint: "Nothing was changed. To serve your version, deploy again.",
  });
}

/** What an endpoint that is changing already is going to serve. */
function targetOf({ base, parts, description }: State): Target {
  const names = { configuration: base!.name, model: base!.models[0] ?? "" };
  const made = parts.filter(({ kind, name, isOurs }) => isOurs && name === names[kind]);
  return {
    ...names,
    arn: description?.arn,
    created: base!.configuration?.CreationTime,
    // As it was made: the model first.
    made: made.map((part) => ({ ...part, isCertain: true })).toReversed(),
  };
}

/**
 * Requires that the user chose the endpoint. The app's file alone may name one that does not exist yet,
 * or one that the user has typed in this directory or created from it. Any other belongs to somebody, and
 * the code of whoever wrote the file must not get its variables.
 *
 * @throws MlcliError where only the file names an endpoint that is there.
 */
async function requireTyped(context: DeployContext): Promise<void> {
  const { request: { app, endpointName }, state, host, sagemaker: { region } } = context;
  if (state.description === undefined || endpointName.from !== "file") return;
  const { account = "" } = state.description;
  if (await isRemembered(rememberedAs(context, account), host.env)) return;
  const { endpoint } = state;
  const file = basename(app.configurationPath);
  throw new MlcliError(
    `Endpoint "${endpoint}" already exists (account ${account}, ${region.value}), but only ` +
      `${file} sets its name`,
    {
      hint: "Nothing was changed. To allow the update, type the name once: --endpoint-name " +
        `${shellWord(endpoint)}, or MLCLI_ENDPOINT_NAME in CI. Your code then receives the ` +
        "environment variables of the endpoint.",
    },
  );
}

/**
 * Remembers an endpoint that the user typed, or that mlcli creates.
 *
 * @param account from AWS STS, because the configuration file can choose the role's account.
 */
async function rememberEndpoint(
  context: DeployContext,
  account: string | undefined,
): Promise<void> {
  const { host: { env, messages }, state } = context;
  const onFailure = (reason: string): void =>
    messages.note(
      `Cannot remember endpoint ${state.endpoint} (${reason}), so type ` +
        "--endpoint-name again next time",
    );
  if (account === undefined) return onFailure("its account is unknown");
  await rememberIfPossible(rememberedAs(context, account), env, onFailure);
}

function rememberedAs(
  { request: { app }, state, sagemaker }: DeployContext,
  account: string,
): Remembered {
  const name = `${account}/${sagemaker.region.value}/${state.endpoint}`;
  return { directory: app.directory, kind: "endpoints", name };
}
