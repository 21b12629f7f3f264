import { fileErrorReason } from "../errors.ts";
import { AwsError } from "./errors.ts";
import { type Environment, homeOf, profileValue } from "./profiles.ts";
import { percentDecoded } from "../text.ts";

/**
 * The variables that name a proxy. Deno's fetch reads them by itself, but says nothing when a value is
 * not the address of a proxy. Of two spellings, capital letters count first.
 */
const PROXIES = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"]
  .flatMap((name) => [name, name.toLowerCase()]);

/** The schemes that Deno's fetch knows. It uses no proxy when an address has another one. */
const SCHEME = /^(https?|socks5h?):\/\//i;

/**
 * Checks the addresses that the environment names.
 * @throws AwsError when one is not valid; its value is not shown, since a password may be in it.
 */
export function checkProxies(env: Environment): void {
  for (const name of PROXIES) {
    const value = env(name);
    if (!value || proxyAddress(value)) continue;
    throw new AwsError("unreachable", `${name} does not contain a valid proxy address`, {
      hint: `Set ${name} to an address such as http://proxy:3128`,
    });
  }
}

export function namesProxy(env: Environment): boolean {
  return PROXIES.some((name) => env(name));
}

export interface ProxyLogin {
  readonly name: string;
  readonly password: string;
}

/** The names and passwords in the addresses of proxies, which must not be printed. */
export function proxyLogins(env: Environment): readonly ProxyLogin[] {
  return PROXIES.flatMap((variable) => {
    const address = proxyAddress(env(variable) ?? "");
    if (!address?.password) return [];
    return [{ name: percentDecoded(address.username), password: percentDecoded(address.password) }];
  });
}

function proxyAddress(value: string): URL | undefined {
  // Other programs accept `proxy:3128`, too.
  const address = value.includes("://") ? value : `http://${value}`;
  if (!SCHEME.test(address)) return undefined;
  const url = URL.parse(address);
  return url?.hostname ? url : undefined;
}

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
  const first = named(BUNDLE) ?? await bundleOfProfile(profile ?? "default", env);
  if (first) return first;
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
    throw new AwsError("unreachable", `Cannot read the certificates in ${file}`, {
      hint: `Check that you can read the file, which is set by ${source}`,
      quote: fileErrorReason(cause),
      cause,
    });
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

function certificatesIn({ file, source }: Bundle, text: string): string[] {
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length > 0 && areReadable(certificates)) return certificates;
  throw new AwsError("unreachable", `No valid certificates in ${file}`, {
    hint: `Set ${source} to a file with PEM certificates (-----BEGIN CERTIFICATE-----)`,
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
