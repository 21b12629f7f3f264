/** Certificates that this machine trusts beside the public ones: of a company's proxy or index. */

import { isAbsolute } from "@std/path/is-absolute";
import { join } from "@std/path/join";
import type { App } from "../../app/app.ts";
import { requireInside } from "../../app/confinement.ts";
import type { Context, System } from "../../context.ts";
import { fileErrorReason, MlcliError } from "../../errors.ts";
import { readTextFile } from "../../files.ts";
import type { Setting } from "./addresses.ts";

/** Where an administrator adds certificates to the system's own. */
const ANCHORS = [
  "usr/local/share/ca-certificates", // Debian, Ubuntu, Alpine
  "etc/pki/ca-trust/source/anchors", // Fedora, Red Hat
  "etc/pki/trust/anchors", // SUSE
  "etc/ca-certificates/trust-source/anchors", // Arch
];

/** Variables that name a file of certificates, for pip (by its requests), OpenSSL and uv. */
export const CERTIFICATE_VARIABLES = [
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "SSL_CERT_FILE",
] as const;

/** In bytes; a system's own bundle has a quarter of a MiB. */
const LARGEST_BUNDLE = 8 * 1024 ** 2;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

export interface Certificates {
  /** PEM; empty for none. */
  readonly pem: string;
  readonly source: string;
  /** The file that pip's own setting names, where it cannot be used. */
  readonly unusable?: { readonly path: string; readonly error: unknown };
}

/**
 * The certificates that a build trusts: the app's own file, else the first that pip's setting or a
 * variable names, else those that were added to the system's.
 *
 * @param cert pip's own setting.
 * @throws MlcliError where the app's file cannot be used.
 */
export async function findCertificates(
  app: App,
  cert: Setting | undefined,
  { env, system }: Pick<Context, "env" | "system">,
): Promise<Certificates> {
  const { certificateFile } = app.configuration;
  if (certificateFile !== undefined) {
    return { pem: await ofTheApp(app, certificateFile), source: "certificate_file" };
  }
  let unusable: Certificates["unusable"];
  const variables = CERTIFICATE_VARIABLES.map((name) => ({ value: env(name), source: name }));
  for (const { value, source } of [...cert ? [cert] : [], ...variables]) {
    if (!value) continue;
    const path = absolute(value, app.cwd, env);
    try {
      return { pem: await certificatesIn(path), source, unusable };
    } catch (error) {
      // The variables often name files that do not exist.
      if (source === cert?.source) unusable = { path, error };
    }
  }
  return { ...await addedCertificates(system), unusable };
}

async function ofTheApp(app: App, file: string): Promise<string> {
  const path = join(app.directory, file);
  await requireInside(app, [path]);
  try {
    return await certificatesIn(path);
  } catch (error) {
    throw new MlcliError(`Cannot use certificate file ${file}: ${fileErrorReason(error)}`, {
      hint: `Set "certificate_file" in ${app.name}.json to a file of PEM certificates`,
      cause: error,
    });
  }
}

/** For pip and requests, `~` is the home directory. */
function absolute(path: string, cwd: string, env: Context["env"]): string {
  const home = env("HOME") || env("USERPROFILE");
  const expanded = home ? path.replace(/^~(?=[/\\])/, () => home) : path;
  return isAbsolute(expanded) ? expanded : join(cwd, expanded);
}

/**
 * The certificates in a file, as PEM. Nothing else of it is taken: it may hold a private key, too.
 *
 * @throws Error with the reason, where it cannot be read or holds none.
 */
export async function certificatesIn(path: string): Promise<string> {
  const found = await readCertificates(path);
  if (found === "") throw new Error("it contains no certificate (-----BEGIN CERTIFICATE-----)");
  return found;
}

async function readCertificates(path: string): Promise<string> {
  let text: string;
  try {
    text = await readTextFile(path, LARGEST_BUNDLE);
  } catch (error) {
    throw new Error(fileErrorReason(error), { cause: error });
  }
  return (text.match(CERTIFICATE) ?? [])
    .map((certificate) => `${certificate.replaceAll("\r\n", "\n")}\n`).join("");
}

async function addedCertificates({ os, root }: System): Promise<Certificates> {
  if (os !== "linux") return { pem: "", source: "" };
  for (const folder of ANCHORS.map((path) => join(root, path))) {
    const texts = await Promise.all(
      (await filesBelow(folder)).map((path) => readCertificates(path).catch(() => "")),
    );
    const pem = texts.join("");
    if (pem !== "") return { pem, source: folder };
  }
  return { pem: "", source: "" };
}

/** Sorted, so that the same files give the same text. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  const paths = await Promise.all(
    entries.map(async ({ name, isDirectory }) =>
      isDirectory ? await filesBelow(join(folder, name)) : [join(folder, name)]
    ),
  );
  return paths.flat().filter((path) => /\.(crt|pem|cer)$/i.test(path)).sort();
}
