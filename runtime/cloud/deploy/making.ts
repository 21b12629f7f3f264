/**
 * Making what an endpoint is to serve, and having the endpoint serve it. What has been made is known at
 * each moment, so that nothing is left that nobody knows of; where an answer is lost, it is asked what
 * has become of the request.
 *
 * @module
 */

import {
  AwsError,
  isRefusal,
  mayBeDone,
  orNothing,
  type Refusal,
  withHint,
} from "../../aws/errors.ts";
import type { EndpointDescription, SageMaker } from "../../aws/sagemaker.ts";
import type { Context } from "../../context.ts";
import { accountOf } from "../../contract/addresses.ts";
import type { Variables } from "../../contract/variables.ts";
import { Interrupted } from "../../errors.ts";
import { type Part, PART_WORDS } from "../endpoints/parts.ts";
import type { JobReport } from "../jobs/report.ts";
import { withoutValues } from "../start/hidden_values.ts";
import { isAboutTags, withTags } from "../tags.ts";
import type { Deployment } from "./plan.ts";
import { holds, isMadeOf, isStillOwn, type WithArtifact } from "./own.ts";

/** Something that this run has made, or may have. */
export interface Made extends Part {
  /** Whether it is there for certain. */
  isCertain: boolean;
  /** When the platform made it; another time is another thing of that name. */
  created: Date | undefined;
}

/** What making needs to know. */
export interface MakingOptions {
  readonly sagemaker: SageMaker;
  readonly host: Pick<Context, "interruption" | "clock">;
  readonly report: Pick<JobReport, "note" | "progress">;
  /** All that the model gets, with secret values. */
  readonly variables: Variables;
  /** The user's own tags: with these, nothing is made without tags. */
  readonly tags: Readonly<Record<string, string>>;
}

/**
 * In ms: what was just written may not be found, and what was just deleted still be found, for seconds.
 * (API reference, CreateEndpoint: "retry logic is recommended".)
 */
const PAUSES = [500, 1_000, 2_000, 4_000] as const;

/** In ms: to so much the platform's times of two things are compared. */
const PRECISION = 1_000;

/** One deployment, being made. */
export class Making {
  /** What was made, in order. */
  readonly made: Made[] = [];
  /** Whether the endpoint was asked to serve it. */
  isAsked = false;
  /** Whether mlcli's own tags may be there. */
  withOwnTags = true;
  /** Whose it is, once the platform has told. */
  account: string | undefined;
  readonly #options: MakingOptions;

  constructor(options: MakingOptions) {
    this.#options = options;
  }

  /** CreateModel. */
  async model(input: Deployment["model"]): Promise<void> {
    const { sagemaker, variables } = this.#options;
    await this.#make({ kind: "model", name: input.ModelName! }, {
      input,
      create: (one) =>
        sagemaker.createModel(one).catch((error) => {
          throw withoutValues(error, variables);
        }),
      describe: (name) => sagemaker.describeModel(name),
    });
  }

  /** CreateEndpointConfig. */
  async configuration(input: Deployment["configuration"]): Promise<void> {
    const { sagemaker } = this.#options;
    await this.#make({ kind: "configuration", name: input.EndpointConfigName! }, {
      input,
      create: (one) => sagemaker.createEndpointConfiguration(one),
      describe: async (name) => {
        const found = await sagemaker.describeEndpointConfiguration(name);
        this.account = accountOf(found.EndpointConfigArn ?? "");
        return found;
      },
    });
  }

  /**
   * CreateEndpoint or UpdateEndpoint. Returns when the service has begun.
   * @throws AwsError when it has not, or nobody knows.
   */
  async endpoint({ endpoint }: Pick<Deployment, "endpoint">): Promise<void> {
    const { sagemaker, host, report } = this.#options;
    host.interruption.signal.throwIfAborted();
    const { EndpointName, EndpointConfigName } = "creation" in endpoint
      ? endpoint.creation
      : endpoint.update;
    await this.#requireOwnModel();
    this.isAsked = true;
    try {
      await this.#soon(["not found"], async () => {
        if ("update" in endpoint) await sagemaker.updateEndpoint(endpoint.update);
        else await this.#tagged(endpoint.creation, (one) => sagemaker.createEndpoint(one));
      });
    } catch (error) {
      const isTaken = isRefusal(error, "in progress") || isRefusal(error, "in use");
      if (!isTaken && !mayBeDone(error)) throw error;
      const now = await this.#asked(error, () => sagemaker.describeEndpoint(EndpointName!));
      const isOurs = now && isGoingTo(now, EndpointConfigName!) && this.#isLater(now) &&
        await this.#isOwn(error, EndpointConfigName!);
      if (!isOurs) throw error;
      report.note(`The answer was lost, but ${EndpointName} is ${now.status}.`);
    }
  }

  /** Makes one thing. Where it fails, it is known whether it is there. */
  async #make<Input extends WithArtifact & { Tags?: { Key?: string; Value?: string }[] }>(
    { kind, name }: Part,
    { input, create, describe }: {
      readonly input: Input;
      readonly create: (input: Input) => Promise<void>;
      readonly describe: (
        name: string,
      ) => Promise<WithArtifact & { readonly CreationTime: Date | undefined }>;
    },
  ): Promise<void> {
    const { host, report } = this.#options;
    host.interruption.signal.throwIfAborted();
    const words = PART_WORDS[kind];
    report.progress(`Creating ${words} ${name}`, 0);
    const thing: Made = { kind, name, isCertain: false, created: undefined };
    this.made.push(thing);
    try {
      // "in use": one of that name may have been deleted a moment ago. Or it is the one that this
      // very request has made: Deno sends a request once more where its connection ends.
      await this.#soon(
        ["not found", "in use"],
        () =>
          this.#tagged(input, create).catch(async (error) => {
            if (!isRefusal(error, "in use")) throw error;
            const found = await this.#asked(error, () => describe(name));
            if (!holds(found, input)) throw error;
            // A configuration says the same for everybody; the model that it names does not.
            await this.#requireOwnModel();
          }),
      );
      report.note(`Created ${words} ${name}`);
    } catch (error) {
      if (error instanceof Interrupted || error instanceof NobodyKnows) throw error;
      if (!mayBeDone(error)) {
        this.made.pop();
        throw isRefusal(error, "in use") ? madeByAnother(error, words, name) : error;
      }
      const found = await this.#asked(error, () => describe(name));
      if (!found) {
        this.made.pop();
        throw error;
      }
      report.note(`The answer was lost, but ${words} ${name} is there.`);
    }
    thing.isCertain = true;
    const found = await this.#found(() => describe(name));
    if (found !== undefined && !isMadeOf(found, input)) {
      this.made.pop();
      throw madeByAnother(new AwsError("changed", `${name} is another ${words} now`), words, name);
    }
    thing.created = found?.CreationTime;
  }

  /** @throws AwsError where its configuration would name somebody else's model. */
  async #requireOwnModel(): Promise<void> {
    const model = this.made.find(({ kind, isCertain }) => kind === "model" && isCertain);
    if (!model || await isStillOwn(model, this.#options.sagemaker)) return;
    const { name } = model;
    throw madeByAnother(new AwsError("changed", `${name} is another model now`), "model", name);
  }

  /** Whether an endpoint changed after its configuration was made: before, somebody else did it. */
  #isLater({ lastModifiedTime }: EndpointDescription): boolean {
    const created = this.made.find(({ kind }) => kind === "configuration")?.created;
    if (created === undefined || lastModifiedTime === undefined) return true;
    return lastModifiedTime.getTime() + PRECISION >= created.getTime();
  }

  /** Whether a configuration is still the one that this run has made. */
  async #isOwn(failure: AwsError, name: string): Promise<boolean> {
    const created = this.made.find(({ kind }) => kind === "configuration")?.created;
    if (created === undefined) return true;
    const now = await this.#asked(
      failure,
      () => this.#options.sagemaker.describeEndpointConfiguration(name),
    );
    return now?.CreationTime?.getTime() === created.getTime();
  }

  /** What was made; `undefined` where nobody tells. */
  async #found<Found>(describe: () => Promise<Found>): Promise<Found | undefined> {
    try {
      return await this.#soon(["not found"], describe);
    } catch (error) {
      if (error instanceof AwsError) return undefined;
      throw error;
    }
  }

  /** Creates it with tags; without mlcli's own where these may not be there. */
  async #tagged<Input extends { Tags?: { Key?: string; Value?: string }[] }>(
    input: Input,
    create: (input: Input) => Promise<void>,
  ): Promise<void> {
    const { tags, report } = this.#options;
    try {
      return await create(this.withOwnTags ? input : withTags(input, {}));
    } catch (error) {
      if (!isAboutTags(error) || !this.withOwnTags || Object.keys(tags).length > 0) throw error;
      report.note(`Without tags, which nothing may be given: ${error.message}`);
      this.withOwnTags = false;
    }
    await create(withTags(input, {}));
  }

  /**
   * What is there after a lost answer.
   * @throws the failure, where nobody can tell.
   */
  async #asked<Answer>(
    failure: AwsError,
    describe: () => Promise<Answer>,
  ): Promise<Answer | undefined> {
    try {
      return await orNothing(describe());
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      throw new NobodyKnows(failure.refusal, failure.message, {
        hint: failure.hint,
        quote: failure.quote,
        cause: failure,
      });
    }
  }

  /** Asks again, a few times, while the refusal is one that passes by itself. */
  async #soon<Answer>(
    passing: readonly Refusal[],
    ask: () => Promise<Answer>,
  ): Promise<Answer> {
    const { clock, interruption } = this.#options.host;
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

/** What became of a request cannot be found out. */
export class NobodyKnows extends AwsError {}

/** Whether an endpoint has a configuration, or is about to. */
export function isGoingTo(
  { configuration, pendingConfiguration }: EndpointDescription,
  name: string,
): boolean {
  return configuration === name || pendingConfiguration === name;
}

function madeByAnother(error: AwsError, words: string, name: string): AwsError {
  return withHint(
    error,
    `Somebody else made the ${words} ${name} at the same time. Wait until that is done, ` +
      "then try again.",
  );
}
