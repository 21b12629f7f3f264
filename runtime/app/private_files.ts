/** The private files of an app: they must not get into an image, which others may get. */

import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { fileErrorReason, isMissing, MlcliError } from "../errors.ts";
import { typedPath } from "./typed_path.ts";

/**
 * Each is the whole name of a file or a directory; `*` stands for any characters.
 * `docs/explanation/security.md` lists them, too. Names that ordinary files can have are not listed: a user who
 * keeps a secret in `config.json` leaves it out with a line in `.dockerignore`.
 */
export const PRIVATE_NAMES: readonly string[] = [
  // Version control: everything that was ever committed, and addresses with passwords.
  ".git",
  ".hg",
  ".svn",
  ".git-credentials",
  // Variables and passwords.
  ".env*",
  ".netrc",
  "_netrc",
  ".htpasswd",
  ".pgpass",
  ".my.cnf",
  ".mylogin.cnf",
  ".vault-token",
  "*.kdbx",
  // Package indexes and registries.
  ".npmrc",
  ".pypirc",
  ".docker",
  ".dockercfg",
  // Clouds.
  ".aws",
  ".azure",
  ".boto",
  ".kube",
  ".oci",
  ".s3cfg",
  ".databrickscfg",
  "application_default_credentials.json",
  // Keys.
  ".ssh",
  ".gnupg",
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ecdsa_sk",
  "id_ed25519",
  "id_ed25519_sk",
  "*.ppk",
  "*.p12",
  "*.pfx",
];

const PATTERN = new RegExp(`^(${PRIVATE_NAMES.map(expressionOf).join("|")})$`, "isu");

/**
 * Whether a name, one component of a path, is a private one. Capitals make no difference: on macOS
 * and Windows `.SSH` is `.ssh`.
 */
export function isPrivateName(name: string): boolean {
  return PATTERN.test(name);
}

/** The start of a path, up to and with its first private name; `undefined` if it has none. */
export function privatePartOf(path: string): string | undefined {
  const names = path.split("/");
  const index = names.findIndex(isPrivateName);
  return index < 0 ? undefined : names.slice(0, index + 1).join("/");
}

/** The same, but for `.env.example` and the like: they show what a private file holds. */
export function mayHoldSecrets(name: string): boolean {
  return isPrivateName(name) && !/\.(example|sample|template|dist)$/i.test(name);
}

function expressionOf(glob: string): string {
  const parts = glob.split("*").map((part) => part.replace(/[.\\+?^${}()|[\]]/g, "\\$&"));
  return parts.join(".*");
}

/** How much of a file is searched for a private key, in bytes. */
const KEY_LENGTH = 64 * 1024;

/** Files that may hold a private key. Most `.pem` files are certificates, which are public. */
const MAY_BE_KEY = /\.(pem|key)$/i;

/** The first line of a private key: OpenSSL's, OpenSSH's, PuTTY's export, GnuPG's. */
const KEY_MARK = /---- ?BEGIN ([A-Z0-9]+ )*PRIVATE KEY( BLOCK)? ?----/;

/**
 * Whether a file is a private key by its name and its content; false if it is gone.
 *
 * @param path relative to the directory.
 * @throws MlcliError when it cannot be read.
 */
// deno-lint-ignore require-await -- a failure rejects
export async function isPrivateKey(directory: string, path: string): Promise<boolean> {
  const source = join(directory, path);
  try {
    return holdsPrivateKey(source);
  } catch (error) {
    throw cannotRead(typedPath({ directory }, source), error);
  }
}

/**
 * Returns whether a file is a private key by its name and its content; false if it does not exist.
 *
 * @throws Error of the system when it cannot be read.
 */
export function holdsPrivateKey(path: string): boolean {
  if (!MAY_BE_KEY.test(path)) return false;
  try {
    using file = Deno.openSync(path);
    return KEY_MARK.test(new TextDecoder("latin1").decode(readStart(file)));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/**
 * Whether something of an app stays out of images, since it is private and no exception of
 * `.dockerignore` names it.
 *
 * @param path relative to the directory.
 * @param privatePart its start, up to and with its first private name; undefined where it has none.
 * @throws MlcliError when a file that may be a key cannot be read.
 */
export async function staysOut(
  rules: { readonly bringBack: (path: string, privatePart: string) => boolean },
  directory: string,
  path: string,
  privatePart: string | undefined,
  isFile: boolean,
): Promise<boolean> {
  if (privatePart !== undefined) return !rules.bringBack(path, privatePart);
  return isFile && !rules.bringBack(path, path) && await isPrivateKey(directory, path);
}

/**
 * Refuses a private key in the place of a file that is always sent. (Private names are refused by
 * the check of links, and by the rules of the configuration file.)
 *
 * @param path relative to the directory.
 * @throws MlcliError
 */
export async function requireNoKey(directory: string, path: string): Promise<void> {
  const root = await Deno.realPath(directory);
  const target = await Deno.realPath(join(directory, path));
  if (!(await Deno.stat(target)).isFile || !await isPrivateKey(root, relative(root, target))) {
    return;
  }
  const shown = typedPath({ directory: root }, target);
  throw new MlcliError(`${shown} is a private key, which must not get into an image`, {
    hint: `Use another file instead of ${path}`,
  });
}

function readStart(file: Deno.FsFile): Uint8Array {
  const buffer = new Uint8Array(KEY_LENGTH);
  let length = 0;
  while (length < buffer.length) {
    const count = file.readSync(buffer.subarray(length));
    if (count === null) break;
    length += count;
  }
  return buffer.subarray(0, length);
}

/** The path of an app's test data, or of results of its runs: they are never sent. */
export const TEST_DATA = /(?:^|[/\\])mlcli_base[/\\]local_test(?:[/\\]|$)/;

/** What is left out of an image besides: the user's own list. */
export const IGNORE_FILE = ".dockerignore";

export function cannotRead(shown: string, cause: unknown, fix = "Make it readable"): MlcliError {
  return new MlcliError(`Cannot read ${shown}: ${fileErrorReason(cause)}`, {
    hint: `${fix}, or exclude it with a line in ${IGNORE_FILE}`,
    cause,
  });
}
