/**
 * Keeps credentials out of whatever is printed. The service quotes them: its answer to a wrong
 * signature repeats the signed headers, the session token among them.
 *
 * @module
 */

/** Variables of the environment whose values nobody should see. */
const SECRET_VARIABLES = [
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_SECURITY_TOKEN",
  "AWS_CONTAINER_AUTHORIZATION_TOKEN",
] as const;

/**
 * Shorter values are no secrets: AWS makes 40 characters, emulators take `test`, and to blot out
 * that word would spoil messages.
 */
const SHORTEST_SECRET = 16;

/** The parts of AWS credentials that are secret; the access key's id is not. */
export interface SecretParts {
  readonly secretAccessKey?: string;
  readonly sessionToken?: string;
}

/** The secrets that this run has seen. */
export class Secrets {
  readonly #values = new Set<string>();

  constructor(env: (name: string) => string | undefined) {
    for (const name of SECRET_VARIABLES) this.#add(env(name));
  }

  /** Remembers the secrets of credentials that were just found. */
  add(credentials: SecretParts): void {
    this.#add(credentials.secretAccessKey);
    this.#add(credentials.sessionToken);
  }

  #add(value: string | undefined): void {
    if (value !== undefined && value.length >= SHORTEST_SECRET) this.#values.add(value);
  }

  /** The text with each secret replaced. */
  redact(text: string): string {
    let redacted = text;
    for (const value of this.#values) redacted = redacted.replaceAll(value, "[secret]");
    return redacted;
  }

  /** A copy of what was thrown that is fit for a stack trace. */
  redactError(error: unknown): Error {
    if (!(error instanceof Error)) return new Error(this.redact(String(error)));
    const copy = new Error(this.redact(error.message));
    copy.name = error.name;
    copy.stack = this.redact(error.stack ?? `${error.name}: ${error.message}`);
    return copy;
  }
}
