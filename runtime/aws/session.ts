import { messageOf } from "../errors.ts";
import { VERSION } from "../version.ts";
import { hasTypes } from "./answer_types.ts";
import { Connections } from "./connections.ts";
import { SessionCredentials } from "./credentials.ts";
import { type AwsError, isRefusal, NotConfigured, type Refusal } from "./errors.ts";
import { type Answered, awsError, isExpiry, strangeAnswer } from "./explanations.ts";
import type { TimeLimits } from "./limits.ts";
import { checkProxies, proxyLogins } from "./network.ts";
import { pagesOf } from "./pages.ts";
import { checkProfile, profileValue } from "./profiles.ts";
import { isAfterLostAnswer } from "./retries.ts";
import { Secrets } from "./secrets.ts";
import { type AddressedService, addressOf, type AwsSettings, withoutSetting } from "./settings.ts";
import type { Setting } from "../setting.ts";

export interface SessionContext {
  readonly env: (name: string) => string | undefined;
  /** Aborts whatever is being asked; its reason is thrown. */
  readonly signal: AbortSignal;
  /** How long a request may take; usually left to `connections.ts`. */
  readonly limits?: TimeLimits;
  /** Called with the source of the credentials each time they are found. */
  readonly onCredentials?: (source: string) => void;
}

/** A client of the SDK, as far as all of them are alike. */
interface SdkClient {
  readonly config: { readonly region: () => Promise<string> };
  // deno-lint-ignore no-explicit-any -- `Command` has the types
  send(command: any, options: any): Promise<any>;
}

/** A command of the SDK, as far as all of them are alike. */
export interface Command<Answer> {
  /** Its third member is the operation's name. */
  readonly schema?: unknown;
  // deno-lint-ignore no-explicit-any -- each client has types of its own
  resolveMiddleware(...parts: any[]): (args: any) => Promise<{ readonly output: Answer }>;
}

export interface AskOptions {
  /** Instead of the session's own signal. */
  readonly abortSignal?: AbortSignal;
  /** How long the model behind the service may take, in ms. */
  readonly requestTimeout?: number;
  /** Gets what the SDK throws, and returns the error to explain instead. */
  readonly onError?: (error: unknown) => unknown;
}

/** An answer that is known to have these members. */
type With<Answer, Member extends keyof Answer> =
  & Answer
  & { readonly [Name in Member]-?: NonNullable<Answer[Name]> };

/** An element of what may be a list. */
type Element<List> = NonNullable<List> extends readonly (infer Item)[] ? Item : never;

export interface Service {
  readonly region: Setting<string>;
  readonly signal: AbortSignal;
  /**
   * Sends one request, retries included. With credentials that have expired it is sent once more
   * with new ones.
   *
   * @param subject what it is about, for messages: `endpoint churn`.
   * @param members that each answer of the service has.
   * @throws AwsError, also where they are not there: somebody else answered. Interrupted.
   */
  ask<Answer extends Answered, Member extends keyof Answer = never>(
    command: Command<Answer>,
    subject?: string,
    members?: readonly Member[],
    options?: AskOptions,
  ): Promise<With<Answer, Member>>;
  /**
   * Sends a request that makes, changes or deletes something. A retry after a lost answer that finds it
   * done counts as success.
   *
   * @param done the refusals that mean that it is done.
   * @returns `undefined` where the answer was lost.
   */
  change<Answer extends Answered>(
    command: Command<Answer>,
    subject: string | undefined,
    ...done: Refusal[]
  ): Promise<Answer | undefined>;
  /**
   * The pages of a list; the next is asked for when needed.
   *
   * @param what is listed, for messages: `endpoints`.
   * @param command asks for the page of a token.
   * @param list the member of the answers with the list.
   */
  pages<Answer extends Answered & { NextToken?: string }, List extends keyof Answer, Item>(
    what: string,
    command: (NextToken: string | undefined) => Command<Answer>,
    list: List,
    itemOf: (element: Element<Answer[List]>, answer: Answer) => Item,
  ): AsyncGenerator<readonly Item[]>;
  /** Explains an error of an answer that had begun. */
  explain(error: unknown, command: Command<Answered>, subject: string): AwsError;
}

/** The account, role and region with which services are asked. */
export class AwsSession implements Disposable {
  readonly #settings: AwsSettings;
  readonly #signal: AbortSignal;
  readonly #secrets: Secrets;
  readonly #connections: Connections;
  readonly #credentials: SessionCredentials;
  readonly #env: SessionContext["env"];
  /** The source of the caller's own credentials, once a request was sent. */
  credentialsSource = "";

  private constructor(settings: AwsSettings, context: SessionContext) {
    const { env, signal, limits, onCredentials } = context;
    this.#settings = settings;
    this.#signal = signal;
    this.#env = env;
    this.#secrets = new Secrets(env, proxyLogins(env));
    this.#connections = new Connections({ env, profile: settings.profile?.value, limits });
    const [secrets, connections] = [this.#secrets, this.#connections];
    const onSource = (source: string): void => {
      this.credentialsSource = source;
      onCredentials?.(source);
    };
    this.#credentials = new SessionCredentials({ settings, env, secrets, connections, onSource });
  }

  /**
   * Makes a session; nothing is sent yet.
   * @throws AwsError when the profile does not exist, or the proxy's address is not valid.
   */
  static async open(settings: AwsSettings, context: SessionContext): Promise<AwsSession> {
    const { profile, keys } = settings;
    if (profile) {
      const instead = keys && ` To use AWS_ACCESS_KEY_ID, ${withoutSetting(profile)}.`;
      await checkProfile(profile, context.env, instead);
    }
    checkProxies(context.env);
    return new AwsSession(settings, context);
  }

  /**
   * The configuration of a service's client.
   * @throws MlcliError where a profile names an address that is none.
   */
  // deno-lint-ignore explicit-module-boundary-types -- each client of the SDK has its own type
  async clientConfiguration(service: AddressedService) {
    const endpoint = await addressOf(service, this.#settings, this.#env);
    return {
      ...endpoint !== undefined && { endpoint },
      region: (await this.#namedRegion())?.value,
      profile: this.#settings.profile?.value,
      credentials: this.#credentials.provider,
      customUserAgent: [["mlcli", VERSION]] as [string, string][],
      requestHandler: this.#connections,
      // Adapts to the rate that the service allows. With the SDK's default ('standard') a thousand
      // endpoints cannot be described: one request is soon throttled three times in a row.
      retryMode: this.#env("AWS_RETRY_MODE") || "adaptive",
    };
  }

  /**
   * A service, by the client that was made for it.
   *
   * @param prefix of its permissions: `sagemaker`.
   * @param actions permissions whose names differ from their operations'.
   * @throws AwsError when no region is named.
   */
  async service(
    client: SdkClient,
    prefix: string,
    actions: Readonly<Record<string, string>> = {},
  ): Promise<Service> {
    const region = await this.#regionOf(client);
    const explain = (error: unknown, { schema }: Command<Answered>, subject?: string): AwsError => {
      this.#signal.throwIfAborted();
      const operation = String((schema as readonly unknown[])[2]);
      const action = actions[operation] ?? `${prefix}:${operation}`;
      const request = { action, subject, region, settings: this.#settings };
      return awsError(error, request, this.#secrets);
    };
    const ask: Service["ask"] = async (command, subject, members = [], options = {}) => {
      const { onError = (error) => error, ...sent } = options;
      const send = () =>
        client.send(command, { abortSignal: this.#signal, ...sent }).catch((error) => {
          throw onError(error);
        });
      const answer = await send().catch(async (error) => {
        if (!isExpiry(error) || !await this.#credentials.renew()) throw error;
        return await send();
      }).catch((error) => {
        throw explain(error, command, subject);
      });
      // An operation's schema: its kind, namespace, name, traits, input and output.
      const schema = (command.schema as readonly unknown[])[5];
      const lacks = members.some((name) => (answer[name] ?? "") === "");
      if (lacks || !hasTypes(schema, answer)) throw strangeAnswer(answer);
      return answer;
    };
    return {
      region,
      signal: this.#signal,
      ask,
      explain,
      pages: (what, command, list, itemOf) =>
        pagesOf(what, async (token) => {
          const answer = await ask(command(token));
          const found: unknown = answer[list];
          if (!Array.isArray(found)) throw strangeAnswer(answer);
          return {
            items: found.map((element) => itemOf(element, answer)),
            token: answer.NextToken,
          };
        }),
      async change(command, subject, ...done) {
        let isAnswerLost = false;
        const onError = (error: unknown): unknown => {
          isAnswerLost = isAfterLostAnswer(error);
          return error;
        };
        try {
          return await ask(command, subject, [], { onError });
        } catch (error) {
          if (!(isAnswerLost && done.some((one) => isRefusal(error, one)))) throw error;
          return undefined;
        }
      },
    };
  }

  async #regionOf(client: SdkClient): Promise<Setting<string>> {
    const { profile } = this.#settings;
    const region = await this.#namedRegion();
    if (region) return region;
    const source = `profile ${profile?.value ?? "default"}`;
    try {
      return { value: await client.config.region(), from: "person", where: source };
    } catch (cause) {
      // The second pattern is for a variable that is set, but empty.
      if (!/^Region is missing|region=""/.test(messageOf(cause))) throw cause;
      throw new NotConfigured("No AWS region is set", {
        hint: `Set AWS_REGION, cloud_region in NAME.json, or region in ${source}. To set a ` +
          "default, run mlcli config set region REGION.",
      });
    }
  }

  /** `undefined` where it is the profile's, which the SDK finds, or nobody's. */
  async #namedRegion(): Promise<Setting<string> | undefined> {
    const { region, lastRegion, profile } = this.#settings;
    if (region || !lastRegion) return region;
    const own = await profileValue(profile?.value ?? "default", "region", this.#env);
    return own === undefined ? lastRegion : undefined;
  }

  [Symbol.dispose](): void {
    this.#connections[Symbol.dispose]();
  }
}
