/**
 * Names of files and directories that hold secrets and are not part of an app.
 *
 * @module
 */

/**
 * Each is the whole name of a file or a directory; `*` stands for any characters.
 * `docs/security.md` lists them, too. Names that ordinary files can have are not listed: a user who
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

function expressionOf(glob: string): string {
  const parts = glob.split("*").map((part) => part.replace(/[.\\+?^${}()|[\]]/g, "\\$&"));
  return parts.join(".*");
}
