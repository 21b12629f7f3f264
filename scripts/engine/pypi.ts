/**
 * Whether packages can be had from PyPI, or from the index that takes its place on this machine.
 */

import { CERTIFICATE_VARIABLES, certificatesIn } from "../../runtime/image/network/certificates.ts";
import { messageOf } from "../../runtime/errors.ts";
import { joinSignals } from "../../runtime/time.ts";

/** PyPI answers within half a second; in ms. */
const TIMEOUT = 5_000;

/** What is asked for: whoever has Python's packages has this one. */
const PACKAGE = "six";

/**
 * Asks for a package by the settings that pip takes from the environment.
 * @returns why there is no answer; `undefined` where there is one.
 */
export async function pypiProblem(
  signal: AbortSignal,
  env: (name: string) => string | undefined = Deno.env.get,
): Promise<string | undefined> {
  const index = new URL(
    `${(env("PIP_INDEX_URL") || "https://pypi.org/simple").replace(/\/$/, "")}/`,
  );
  const login = index.username && btoa(
    [index.username, index.password].map(decodeURIComponent).join(":"),
  );
  [index.username, index.password] = ["", ""];
  using limit = joinSignals(signal, AbortSignal.timeout(TIMEOUT));
  using client = Deno.createHttpClient({ caCerts: await pipCertificates(env) });
  try {
    const response = await fetch(new URL(`${PACKAGE}/`, index), {
      method: "HEAD",
      headers: login ? { Authorization: `Basic ${login}` } : {},
      client,
      signal: limit.signal,
    });
    return response.ok ? undefined : `${index.host} answers ${response.status}`;
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}

/** PEM, each by itself, of the file that pip would take; none where it would take its own. */
export async function pipCertificates(
  env: (name: string) => string | undefined = Deno.env.get,
): Promise<string[]> {
  for (const name of ["PIP_CERT", ...CERTIFICATE_VARIABLES]) {
    const file = env(name);
    const pem = file && await certificatesIn(file).catch(() => "");
    if (pem) return pem.split(/(?<=-----END CERTIFICATE-----\n)/);
  }
  return [];
}
