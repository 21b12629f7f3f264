/** pip's output in a build: its passwords are hidden, and it may tell the cause of a failure. */

import { MlcliError } from "../../errors.ts";
import type { BuildEvent } from "../build_events.ts";
import type { BuildNetwork } from "./build_network.ts";
import { percentDecoded } from "../../text.ts";

interface Cause {
  /** Of pip, urllib3, requests or OpenSSL. */
  readonly words: RegExp;
  readonly hint: string;
}

const CAUSES: readonly Cause[] = [
  {
    words: /CERTIFICATE_VERIFY_FAILED/,
    hint: "pip does not trust the certificate of the index, or of a proxy on the way. Name the " +
      'file with your company\'s in PIP_CERT, or as "certificate_file" in NAME.json.',
  },
  {
    words: /Cannot connect to proxy|Tunnel connection failed/,
    hint: "pip does not get through the proxy: check HTTPS_PROXY, and its name and password.",
  },
  {
    words: /^User for |HTTP error 401|401 Client Error|401 Error/m,
    hint: "The index wants a name and a password: in its address (PIP_INDEX_URL), or in ~/.netrc.",
  },
  {
    words:
      /Failed to establish a new connection|NameResolutionError|Temporary failure in name resolution/,
    hint: "pip does not reach the index: PIP_INDEX_URL names one in your network, HTTPS_PROXY a " +
      "proxy on the way.",
  },
];

/** Shorter passwords are not hidden: they would be found in ordinary words. */
const SHORTEST = 4;

export class PipOutput {
  /** The causes in the output of each step, by its id. */
  readonly #found = new Map<string, Set<Cause>>();
  readonly #passwords: readonly string[];
  #failed: string | undefined;
  readonly #hint: string | undefined;

  constructor({ passwords, hint }: Pick<BuildNetwork, "passwords" | "hint">) {
    this.#hint = hint;
    this.#passwords = passwords.flatMap((password) => [password, percentDecoded(password)])
      .filter(({ length }) => length >= SHORTEST);
  }

  /** Takes an event in, and returns it without passwords. */
  read(event: BuildEvent): BuildEvent {
    if (event.kind === "step" && event.state === "failed") this.#failed = event.id;
    if (event.kind !== "log") return event;
    const found = this.#found.get(event.id) ?? new Set();
    for (const cause of CAUSES) if (cause.words.test(event.text)) found.add(cause);
    this.#found.set(event.id, found);
    const text = this.#passwords.reduce(
      (text, password) => text.replaceAll(password, "[secret]"),
      event.text,
    );
    return { ...event, text };
  }

  /** The error of the build, with a hint for the cause that the failed step's output tells. */
  explained(error: unknown): unknown {
    const found = this.#failed === undefined ? undefined : this.#found.get(this.#failed);
    const cause = CAUSES.find((cause) => found?.has(cause));
    if (cause === undefined || !(error instanceof MlcliError)) return error;
    return new MlcliError(error.message, { hint: this.#hint ?? cause.hint, cause: error });
  }
}
