/**
 * Certificates of authorities that this machine's user trusts beside the public ones: a company's
 * proxy, an emulator.
 *
 * @module
 */

import { fileErrorReason } from "../errors.ts";
import { AwsError } from "./errors.ts";
import { homeOf, profileValue } from "./profiles.ts";

type Environment = (name: string) => string | undefined;

/**
 * Variables that name a file of certificates; the first that is set counts. The profile's
 * `ca_bundle` comes after AWS_CA_BUNDLE and before the others, as in `aws`. `deno run` reads
 * DENO_CERT by itself, a compiled program does not.
 */
const BUNDLE = "AWS_CA_BUNDLE";
const OTHER_BUNDLES = ["SSL_CERT_FILE", "DENO_CERT"] as const;

interface Bundle {
  readonly file: string;
  /** What names the file (a variable, or a key of a profile), for messages. */
  readonly source: string;
}

/**
 * The certificates, as PEM; none where nothing names a file.
 * @throws AwsError when the file cannot be read or holds no certificate.
 */
export async function trustedCertificates(
  profile: string | undefined,
  env: Environment,
): Promise<readonly string[]> {
  const bundle = await findBundle(profile, env);
  return bundle ? certificatesIn(bundle, await textOf(bundle)) : [];
}

async function findBundle(
  profile: string | undefined,
  env: Environment,
): Promise<Bundle | undefined> {
  const named = (name: string): Bundle | undefined => {
    const file = env(name);
    return file ? { file, source: name } : undefined;
  };
  const meant = named(BUNDLE) ?? await bundleOfProfile(profile ?? "default", env);
  if (meant) return meant;
  for (const other of OTHER_BUNDLES.map(named)) {
    // Package managers leave these set to files that do not exist. OpenSSL ignores that, too.
    if (other && await isThere(other.file)) return other;
  }
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

async function bundleOfProfile(profile: string, env: Environment): Promise<Bundle | undefined> {
  const value = await profileValue(profile, "ca_bundle", env);
  if (!value) return undefined;
  const file = value.replace(/^~(?=[/\\])/, () => homeOf(env));
  return { file, source: `ca_bundle in profile ${profile}` };
}

async function textOf({ file, source }: Bundle): Promise<string> {
  try {
    return await Deno.readTextFile(file);
  } catch (cause) {
    throw new AwsError("unreachable", `Cannot read the certificates: ${file}`, {
      hint: `${source} names this file: check both.`,
      quote: fileErrorReason(cause),
      cause,
    });
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

function certificatesIn({ file, source }: Bundle, text: string): string[] {
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length > 0 && areReadable(certificates)) return certificates;
  throw new AwsError("unreachable", `No certificates in ${file}`, {
    hint: `${source} names this file. It should hold certificates as PEM: ` +
      "-----BEGIN CERTIFICATE----- and so on.",
  });
}

function areReadable(caCerts: string[]): boolean {
  try {
    Deno.createHttpClient({ caCerts }).close();
    return true;
  } catch {
    return false;
  }
}
