/**
 * Credentials that are kept for all clients of a session until they end, and found anew then: also
 * where only the service knows that they have ended.
 *
 * @module
 */

import type { credentialProviders } from "./sdk/credentials.ts";

type Providers = Awaited<ReturnType<typeof credentialProviders>>;
type Provider = ReturnType<Providers["fromNodeProviderChain"]>;
type Credentials = Awaited<ReturnType<Provider>>;

/** So long (ms) before they end they are found anew, as the SDK does. */
const EARLY = 300_000;

/** The credentials of a session. */
export class KeptCredentials {
  readonly #make: () => Provider;
  #provider: Provider;
  #options: Parameters<Provider>[0];
  #found: Promise<Credentials> | undefined;

  /** @param make makes a provider that remembers nothing of those before it. */
  constructor(make: () => Provider) {
    this.#make = make;
    this.#provider = make();
  }

  /** What clients ask. They do not keep what it gives: this does. */
  readonly provider = Object.assign(
    async (options: Parameters<Provider>[0]): Promise<Credentials> => {
      this.#options = options;
      const found = this.#found;
      if (found && !hasEnded(await found)) return await found;
      // Whoever asks meanwhile gets the same.
      return await (this.#found === found ? this.#find() : this.#found!);
    },
    { memoized: true as const },
  );

  /**
   * Finds others, where the service does not take those that were found: files are read anew, roles
   * assumed anew. Returns whether there are others.
   */
  async renew(): Promise<boolean> {
    const before = await this.#found?.catch(() => undefined);
    this.#provider = this.#make();
    const now = await this.#find();
    return now.accessKeyId !== before?.accessKeyId || now.sessionToken !== before.sessionToken;
  }

  async #find(): Promise<Credentials> {
    const found = this.#provider(this.#options);
    this.#found = found;
    try {
      return await found;
    } catch (error) {
      if (this.#found === found) this.#found = undefined;
      throw error;
    }
  }
}

function hasEnded({ expiration }: Credentials): boolean {
  return expiration !== undefined && expiration.getTime() - Date.now() < EARLY;
}
