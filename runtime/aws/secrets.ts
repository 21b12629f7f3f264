import type { ProxyLogin } from "./network.ts";

/** Variables of the environment whose values nobody should see. */
const SECRET_VARIABLES = [
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_SECURITY_TOKEN",
  "AWS_CONTAINER_AUTHORIZATION_TOKEN",
] as const;

/**
 * Shorter values are not taken for secrets: AWS makes 40 characters, emulators accept `test`, and
 * messages without that word would be hard to read.
 */
const SHORTEST_SECRET = 16;

/** Users choose passwords. A shorter one is hidden only together with its name, as in a header. */
const SHORTEST_PASSWORD = 6;

/**
 * The secrets that this run has seen, to be kept out of all output. Answers may quote them: one to a wrong
 * signature repeats the signed headers, with the session token; a proxy's page may repeat the request.
 */
export class Secrets {
  /** Each secret with the pattern of all its forms. */
  readonly #patterns = new Map<string, RegExp>();

  constructor(env: (name: string) => string | undefined, proxyLogins: readonly ProxyLogin[] = []) {
    for (const name of SECRET_VARIABLES) this.#add(env(name));
    for (const { name, password } of proxyLogins) {
      this.#add(`${name}:${password}`, 0);
      this.#add(password, SHORTEST_PASSWORD);
    }
  }

  /** Remembers the secrets of credentials (the access key's id is not one). */
  add(credentials: { readonly secretAccessKey?: string; readonly sessionToken?: string }): void {
    this.#add(credentials.secretAccessKey);
    this.#add(credentials.sessionToken);
  }

  #add(value: string | undefined, shortest = SHORTEST_SECRET): void {
    if (value === undefined || value.length < shortest || this.#patterns.has(value)) return;
    this.#patterns.set(value, new RegExp(`${inBase64(value)}|${asText(value)}`, "g"));
  }

  /** The text with each secret replaced, also where it is encoded. */
  redact(text: string): string {
    let redacted = text;
    for (const pattern of this.#patterns.values()) {
      redacted = redacted.replaceAll(pattern, "[secret]");
    }
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

/** A pattern for the text as it is, in a URL, in a form, in JSON and in XML, or a mixture. */
function asText(value: string): string {
  return [...value].map((character) => `(?:${formsOf(character).join("|")})`).join("");
}

function formsOf(character: string): string[] {
  const forms = [RegExp.escape(character), percentEncoded(character)];
  if (character === " ") forms.push("\\+");
  const inXml = XML_ENTITIES[character];
  if (inXml) forms.push(inXml);
  const inJson = character.split("").map((unit) =>
    `\\\\u${eitherCase(unit.charCodeAt(0).toString(16).padStart(4, "0"))}`
  );
  forms.push(inJson.join(""));
  if (/["\\/]/.test(character)) forms.push(`\\\\${RegExp.escape(character)}`);
  return forms;
}

const XML_ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&(?:apos|#39);",
};

function percentEncoded(character: string): string {
  return [...new TextEncoder().encode(character)]
    .map((byte) => `%${eitherCase(byte.toString(16).padStart(2, "0"))}`).join("");
}

/** A pattern for hexadecimal digits, however they are written. */
function eitherCase(digits: string): string {
  return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/**
 * A pattern for any base64 text (also the variant for URLs) that contains the secret, wherever in
 * the groups of three bytes it begins: `user:password` contains the password.
 */
function inBase64(value: string): string {
  const bytes = new TextEncoder().encode(value);
  const cores = [0, 1, 2].map((before) => {
    const padded = btoa(String.fromCharCode(...new Uint8Array(before), ...bytes));
    // At both ends, characters that also depend on neighbouring bytes are cut off.
    const start = before === 0 ? 0 : before + 1;
    const end = Math.floor((before + bytes.length) * 4 / 3);
    return padded.slice(start, end).replace(/[+/]/g, (sign) => sign === "+" ? "[+-]" : "[/_]");
  });
  return `[A-Za-z0-9+/_-]*(?:${cores.join("|")})[A-Za-z0-9+/_-]*={0,2}`;
}
