import {
  AwsError,
  isRefusal,
  mayBeDone,
  orNothing,
  orUnknown,
  type Refusal,
  withHint,
  withMore,
} from "../../aws/errors.ts";
import { accountOf } from "../../contract/addresses.ts";
import { Interrupted } from "../../errors.ts";
import {
  describePart,
  endpointGoesOn,
  modelDataOf,
  type Part,
  type PartDetails,
  partWords,
} from "../endpoints/parts.ts";
import { withoutValues } from "../start/plan.ts";
import { createTagged, withTags } from "../tags.ts";
import { deleteInTheWay, deleteMade, type MadePart, namesOf, tellLeft } from "./delete_parts.ts";
import type { Container } from "./kept.ts";
import { type Deployment, variablesOf } from "./plan.ts";
import type { DeployContext } from "./request.ts";
import { type ExistingPart, isGoingTo } from "./state.ts";

/**
 * Creates the planned parts, and requests the endpoint. Only UpdateEndpoint changes a serving endpoint. If
 * UpdateEndpoint fails, the endpoint stays unchanged.
 *
 * @param inTheWay parts whose names are needed.
 * @throws AwsError after the new parts are deleted or named; Interrupted.
 */
export async function make(
  deployment: Deployment,
  inTheWay: readonly ExistingPart[],
  context: DeployContext,
): Promise<Pick<Making, "made" | "withOwnTags" | "account" | "arn">> {
  const { state, sagemaker, request, host } = context;
  const variables = variablesOf(request, state);
  const making = new Making(context);
  try {
    await deleteInTheWay(inTheWay, context);
    const { model, configuration } = deployment;
    await making.part(
      { kind: "model", name: model.ModelName! },
      model,
      (input) =>
        sagemaker.createModel(input).catch((error) => {
          throw withoutValues(error, variables);
        }),
    );
    await making.part(
      { kind: "configuration", name: configuration.EndpointConfigName! },
      configuration,
      (input) => sagemaker.createEndpointConfiguration(input),
    );
    host.waiting.show(`Requesting endpoint ${state.endpoint}`);
    await making.endpoint(deployment);
    return making;
  } catch (error) {
    if (error instanceof Interrupted) tellInterrupted(making, context);
    if (!(error instanceof AwsError)) throw error;
    throw await withLeftParts(error, making, context);
  }
}

/**
 * In ms. For some seconds, SageMaker might not find a new part, or still find a deleted one. (API reference,
 * CreateEndpoint: "retry logic is recommended".)
 */
const PAUSES = [500, 1_000, 2_000, 4_000] as const;

/** The fields of what is created that are read here. */
interface Creation {
  readonly PrimaryContainer?: {
    readonly ModelDataUrl?: string | undefined;
    readonly ModelDataSource?: Container["ModelDataSource"];
    readonly Environment?: Readonly<Record<string, string>> | undefined;
  } | undefined;
  Tags?: { Key?: string; Value?: string }[];
}

/**
 * Creates the parts and the endpoint, and keeps track of what exists, so that the user is told of all
 * that is left. Where an answer is lost, SageMaker is asked whether the request was carried out.
 */
class Making {
  /** What was made, in order. */
  readonly made: MadePart[] = [];
  /** Whether the endpoint was asked to serve it. */
  isAsked = false;
  /** Whether mlcli's own tags may be there. */
  withOwnTags = true;
  /** The endpoint's account, as SageMaker says. */
  account: string | undefined;
  /** ARN of the endpoint, if known. */
  arn: string | undefined;

  constructor(private readonly context: DeployContext) {}

  /** Creates a model or a configuration. After a failure, finds out whether it exists. */
  async part<Input extends Creation>(
    part: Part,
    input: Input,
    create: (input: Input) => Promise<unknown>,
  ): Promise<void> {
    const { host: { interruption, messages, waiting }, sagemaker } = this.context;
    interruption.signal.throwIfAborted();
    const words = partWords(part);
    waiting.show(`Creating ${words}`);
    const made: MadePart = { ...part, isCertain: false, created: undefined };
    this.made.push(made);
    try {
      // "in use": a part of this name might have been deleted a moment ago.
      await this.#retried(["not found", "in use"], () => this.#tagged(input, create));
      messages.state(`Created ${words}`);
    } catch (error) {
      if (error instanceof Interrupted) throw error;
      // "in use" might refer to this part: Deno repeats a request if its connection ends.
      const isTaken = isRefusal(error, "in use");
      const found = isTaken || mayBeDone(error)
        ? await this.#afterLostAnswer(error, () => describePart(sagemaker, part))
        : undefined;
      if (!found || isOther(found, input) || !hasAll(found, input)) {
        if (!found || isTaken) this.made.pop();
        throw found ? madeByAnotherError(error as AwsError, words) : error;
      }
      messages.note(`The response was lost, but ${words} exists`);
    }
    made.isCertain = true;
    const found = await this.#found(part);
    if (found && isOther(found, input)) {
      this.made.pop();
      throw madeByAnotherError(
        new AwsError("changed", `Another deployment replaced the new ${words}`),
        words,
      );
    }
    made.created = found?.CreationTime;
    this.account = accountOf(found?.EndpointConfigArn ?? "");
  }

  /**
   * Calls CreateEndpoint or UpdateEndpoint. Returns when SageMaker has begun.
   *
   * @throws AwsError if SageMaker has not begun, or if that is unknown.
   */
  async endpoint({ endpoint, configuration }: Deployment): Promise<void> {
    const { sagemaker, host, state } = this.context;
    host.interruption.signal.throwIfAborted();
    this.isAsked = true;
    this.arn = state.description?.arn;
    try {
      const arn = await this.#retried(
        ["not found"],
        () =>
          "update" in endpoint
            ? sagemaker.updateEndpoint(endpoint.update)
            : this.#tagged(endpoint.creation, (input) => sagemaker.createEndpoint(input)),
      );
      this.arn ??= arn;
    } catch (error) {
      const isTaken = isRefusal(error, "in progress") || isRefusal(error, "in use");
      if (!isTaken && !mayBeDone(error)) throw error;
      const now = await this.#afterLostAnswer(
        error,
        () => sagemaker.describeEndpoint(state.endpoint),
      );
      if (!now || !isGoingTo(now, configuration.EndpointConfigName!)) throw error;
      const part = this.made.at(-1)!;
      const served = await this.#afterLostAnswer(error, () => describePart(sagemaker, part));
      if (part.created && served?.CreationTime?.getTime() !== part.created.getTime()) throw error;
      host.messages.note(
        `The response was lost, but endpoint ${state.endpoint} is ${now.status}`,
      );
      this.arn = now.arn;
    }
  }

  /** Returns a new part, which SageMaker might not find at once; `undefined` if its existence is unknown. */
  async #found(part: Part): Promise<PartDetails | undefined> {
    return await orUnknown(
      this.#retried(["not found"], () => describePart(this.context.sagemaker, part)),
    );
  }

  /** Creates the part with tags, or without mlcli's tags if mlcli has no permission to set tags. */
  async #tagged<Input extends Creation, Answer>(
    input: Input,
    create: (input: Input) => Promise<Answer>,
  ): Promise<Answer> {
    const { request, host: { messages } } = this.context;
    if (!this.withOwnTags) return await create(withTags(input, {}));
    return await createTagged(input, request.tags, create, (reason) => {
      messages.note(`Continuing without mlcli tags, because setting tags failed: ${reason}`);
      this.withOwnTags = false;
    });
  }

  /**
   * Returns the part that exists after a lost response.
   *
   * @throws OutcomeUnknown with the text of the failure, if SageMaker does not tell.
   */
  async #afterLostAnswer<Answer>(
    failure: AwsError,
    describe: () => Promise<Answer>,
  ): Promise<Answer | undefined> {
    try {
      return await orNothing(describe());
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      const { refusal, message, hint, quote } = failure;
      throw new OutcomeUnknown(refusal, message, { hint, quote, cause: failure });
    }
  }

  /** Asks again, a few times, while the refusal is one that passes by itself. */
  async #retried<Answer>(
    passing: readonly Refusal[],
    ask: () => Promise<Answer>,
  ): Promise<Answer> {
    const { clock, interruption } = this.context.host;
    for (const length of PAUSES) {
      try {
        return await ask();
      } catch (error) {
        if (!passing.some((one) => isRefusal(error, one))) throw error;
        await clock.pause(length, interruption.signal);
      }
    }
    return await ask();
  }
}

/** It cannot be found out whether a request was carried out. */
class OutcomeUnknown extends AwsError {}

/** Whether somebody else made a model: it has another archive, or more variables. */
function isOther({ PrimaryContainer: there }: PartDetails, input: Creation): boolean {
  const { PrimaryContainer: asked } = input;
  return modelDataOf(there) !== modelDataOf(asked) ||
    !hasAll(asked?.Environment ?? {}, there?.Environment ?? {});
}

/** Whether something has all that it was created with, apart from tags. */
function hasAll(there: unknown, input: unknown): boolean {
  if (typeof input !== "object" || input === null) return there === input;
  if (typeof there !== "object" || there === null) return false;
  return Object.entries(input).every(([name, value]) =>
    value === undefined || name === "Tags" ||
    hasAll((there as Record<string, unknown>)[name], value)
  );
}

function madeByAnotherError(error: AwsError, words: string): AwsError {
  return withHint(
    error,
    `Another deployment created ${words} at the same time. Deploy again when it has finished.`,
  );
}

function tellInterrupted({ made, isAsked }: Making, context: DeployContext): void {
  const { host: { messages }, request, state: { endpoint } } = context;
  if (!isAsked) return tellLeft(made, context);
  messages.warning(
    `Interrupted: endpoint ${endpoint} might have started to change to ${namesOf(made)}`,
    `To find out and continue, rerun the command. ${endpointGoesOn(endpoint, request)}`,
  );
}

/** Deletes the new parts. Returns the error, with the parts that are left. */
async function withLeftParts(
  error: AwsError,
  { made, isAsked }: Making,
  context: DeployContext,
): Promise<AwsError> {
  const { state: { endpoint, description }, request: choice } = context;
  if (error instanceof OutcomeUnknown && isAsked) {
    return withMore(
      error,
      `mlcli deleted nothing, because endpoint ${endpoint} might have started to change. ` +
        endpointGoesOn(endpoint, choice),
    );
  }
  if (!await deleteMade(made, context)) return error;
  const serves = description ? ` Endpoint ${endpoint} still serves the previous version.` : "";
  return withMore(error, `Nothing was left behind.${serves}`);
}
