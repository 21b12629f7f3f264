/**
 * What the clients of all services share: credentials, region, connections, and how a refusal is
 * explained. Each service is one module that makes its client from this.
 *
 * @module
 */

import { messageOf } from "../errors.ts";
import { VERSION } from "../version.ts";
import { type AddressedService, addressOf } from "./addresses.ts";
import { Connections } from "./connections.ts";
import { credentialsProvider } from "./credentials.ts";
import { AwsError, isRefusal, type Refusal } from "./errors.ts";
import { awsError, isExpiry } from "./explanations.ts";
import { KeptCredentials } from "./kept_credentials.ts";
import { checkProfile } from "./profiles.ts";
import { checkProxies, proxyLogins } from "./proxy.ts";
import { Secrets } from "./secrets.ts";
import type { AwsSettings, Setting } from "./settings.ts";
import type { TimeLimits } from "./time_limit.ts";
import { mayBeOwn } from "./unheard.ts";

/** What a session needs besides its settings. */
export interface SessionContext {
  readonly env: (name: string) => string | undefined;
  /** Aborts whatever is being asked; its reason is thrown. */
  readonly signal: AbortSignal;
  /** How long a request may take; usually left to `connections.ts`. */
  readonly limits?: TimeLimits;
}

/** A client of the SDK, as far as all of them are alike. */
interface SdkClient {
  readonly config: { readonly region: () => Promise<string> };
}

/** A client of a service, and what its requests need. */
export interface Asking<Client> {
  readonly client: Client;
  readonly session: AwsSession;
  /** The region that is asked, and who named it. */
  readonly region: Setting;
}

/** The account, role and region with which services are asked. */
export class AwsSession implements Disposable {
  readonly #settings: AwsSettings;
  readonly #signal: AbortSignal;
  readonly #secrets: Secrets;
  readonly #connections: Connections;
  readonly #credentials: KeptCredentials;
  readonly #env: SessionContext["env"];

  private constructor(settings: AwsSettings, { env, signal, limits }: SessionContext) {
    this.#settings = settings;
    this.#signal = signal;
    this.#env = env;
    this.#secrets = new Secrets(env, proxyLogins(env));
    this.#connections = new Connections({ env, profile: settings.profile?.value, limits });
    this.#credentials = new KeptCredentials(() =>
      credentialsProvider({
        settings: this.#settings,
        env: this.#env,
        secrets: this.#secrets,
        connections: this.#connections,
      })
    );
  }

  /**
   * Makes a session; nothing is sent yet.
   * @throws AwsError when the profile does not exist, or the proxy's address is not valid.
   */
  static async open(settings: AwsSettings, context: SessionContext): Promise<AwsSession> {
    if (settings.profile) await checkProfile(settings.profile, context.env);
    checkProxies(context.env);
    return new AwsSession(settings, context);
  }

  /**
   * What the client of a service is made with.
   * @throws MlcliError where a profile names an address that is none.
   */
  // deno-lint-ignore explicit-module-boundary-types -- each client of the SDK has its own type
  async clientConfiguration(service: AddressedService) {
    const endpoint = await addressOf(service, this.#settings, this.#env);
    return {
      ...endpoint !== undefined && { endpoint },
      region: this.#settings.region?.value,
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
   * The region that a client asks, and who named it.
   * @throws AwsError when none is named.
   */
  async regionOf(client: SdkClient): Promise<Setting> {
    const { region, profile } = this.#settings;
    if (region) return region;
    const source = `profile ${profile?.value ?? "default"}`;
    try {
      return { value: await client.config.region(), source };
    } catch (cause) {
      // The second pattern is for a variable that is set, but empty.
      if (!/^Region is missing|region=""/.test(messageOf(cause))) throw cause;
      throw new AwsError("credentials", "No region named", {
        hint: "Name it with --region, cloud_region in the app's configuration file, AWS_REGION " +
          `or AWS_DEFAULT_REGION, or for good: aws configure set region REGION (${source}).`,
      });
    }
  }

  /** What a request is sent with. */
  get requestOptions(): { readonly abortSignal: AbortSignal } {
    return { abortSignal: this.#signal };
  }

  /**
   * Sends one request, retries included. With credentials that have expired it is sent once more
   * with new ones.
   *
   * @param action as permissions name it: `sagemaker:ListEndpoints`.
   * @param subject what it is about, for messages: `endpoint churn`.
   * @param region that is asked.
   * @throws AwsError, or Interrupted.
   */
  async send<Answer>(
    action: string,
    subject: string | undefined,
    region: Setting,
    request: () => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await request().catch(async (error) => {
        if (!isExpiry(error) || !await this.#credentials.renew()) throw error;
        return await request();
      });
    } catch (error) {
      this.#signal.throwIfAborted();
      throw awsError(error, { action, subject, region, settings: this.#settings }, this.#secrets);
    }
  }

  /**
   * Sends a deletion. When a retry finds nothing to delete, an attempt before it, which may have been
   * heard (`mayBeOwn`), has succeeded.
   */
  async sendDeletion(
    action: string,
    subject: string,
    region: Setting,
    request: () => Promise<unknown>,
  ): Promise<void> {
    await this.#sendOnce(["not found"], action, subject, region, request);
  }

  /**
   * Sends a creation of something with a name of its own. When a retry finds the name in use, such an
   * attempt has succeeded.
   */
  async sendCreation(
    action: string,
    subject: string | undefined,
    region: Setting,
    request: () => Promise<unknown>,
  ): Promise<void> {
    await this.#sendOnce(["in use"], action, subject, region, request);
  }

  /**
   * Sends a change to something that takes its time. When a retry finds it being changed, or as it
   * is to be, such an attempt has succeeded.
   */
  async sendChange(
    action: string,
    subject: string | undefined,
    region: Setting,
    request: () => Promise<unknown>,
  ): Promise<void> {
    await this.#sendOnce(["in progress", "in use"], action, subject, region, request);
  }

  /** @param done what a retry is refused with when an attempt before it, unnoticed, has succeeded. */
  async #sendOnce(
    done: readonly Refusal[],
    action: string,
    subject: string | undefined,
    region: Setting,
    request: () => Promise<unknown>,
  ): Promise<void> {
    let isOwn = false;
    try {
      await this.send(action, subject, region, () =>
        request().catch((error) => {
          isOwn = mayBeOwn(error);
          throw error;
        }));
    } catch (error) {
      if (!(isOwn && done.some((one) => isRefusal(error, one)))) throw error;
    }
  }

  /** Closes the connections. */
  [Symbol.dispose](): void {
    this.#connections[Symbol.dispose]();
  }
}
