/**
 * Names of repositories, as images and Amazon ECR have them.
 *
 * @module
 */

/** A repository, and the registry that it is named in. */
export interface NamedRepository {
  /** `123456789012.dkr.ecr.eu-west-1.amazonaws.com`; undefined where none is named. */
  readonly host: string | undefined;
  /** `team/churn` */
  readonly name: string;
}

/** ECR's `RepositoryName` (botocore 1.44.5, `data/ecr/2015-09-21`), 2 to 256 characters. */
const NAME = /^[a-z\d]+((\.|_|__|-+)[a-z\d]+)*(\/[a-z\d]+((\.|_|__|-+)[a-z\d]+)*)*$/;

/** What it has to be, in words. */
export const REPOSITORY_EXPECTED =
  "a repository's name: 2 to 256 lower-case letters, digits, and between them single . _ - /";

/** Takes the name of an image without a tag apart; undefined where ECR has no such repository. */
export function parseRepository(text: string): NamedRepository | undefined {
  const [, first = "", rest = ""] = /^([^/]*)\/(.*)$/s.exec(text) ?? [];
  // Docker's rule for what is a host: github.com/distribution/reference, normalize.go.
  const isHost = /[.:]|[A-Z]/.test(first) || first === "localhost";
  const name = isHost ? rest : text;
  if (name.length < 2 || name.length > 256 || !NAME.test(name)) return undefined;
  return { host: isHost ? first : undefined, name };
}

/** Hosts of ECR: the usual one, FIPS, and dual-stack (AWS General Reference, ECR's endpoints). */
const ECR_HOST =
  /^(?<account>\d{12})\.dkr[.-]ecr(-fips)?\.(?<region>[a-z\d-]+)\.(amazonaws\.com(\.cn)?|on\.aws|on\.amazonwebservices\.com\.cn)$/;

/** Whether two hosts are the same registry: one account's in one region has several names. */
export function isSameRegistry(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [one, other].map((host) => ECR_HOST.exec(host)?.groups);
  return first !== undefined && second !== undefined && first["account"] === second["account"] &&
    first["region"] === second["region"];
}

/**
 * Whether a login for one registry may go to another: to none but itself where it is a login of AWS.
 * Emulators have several names for theirs.
 */
export function mayLogIn(login: string, registry: string): boolean {
  return isSameRegistry(login, registry) || !ECR_HOST.test(login);
}
