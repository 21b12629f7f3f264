/**
 * Which repository an app's image belongs into.
 *
 * @module
 */

import type { App } from "../../app/app.ts";
import {
  isSameRegistry,
  mayLogIn,
  type NamedRepository,
  parseRepository,
} from "../../contract/registry.ts";
import { MlcliError } from "../../errors.ts";

/**
 * The repository that is asked for, or that of the app's image.
 * @throws MlcliError where ECR cannot have one of that name.
 */
export function repositoryFor(app: App, asked: NamedRepository | undefined): NamedRepository {
  const named = asked ?? parseRepository(app.configuration.imageName);
  if (named) return named;
  throw new MlcliError(
    `Amazon ECR cannot have a repository named ${app.configuration.imageName}`,
    { hint: "--repository names another, of two characters or more." },
  );
}

/**
 * Refuses a repository that is named in another registry than the account's.
 * @param own `123456789012.dkr.ecr.eu-west-1.amazonaws.com`
 */
export function requireOwnRegistry({ host, name }: NamedRepository, own: string): void {
  if (host === undefined || isSameRegistry(host, own)) return;
  throw new MlcliError(`The image's registry is ${host}, and this account's is ${own}`, {
    hint: `--repository ${name} takes the one of that name in this account; another --profile, ` +
      "--region or --iam-role-arn asks another account.",
  });
}

/** Refuses to send a login for AWS's registry anywhere else. */
export function requireOwnLogin(login: string, registry: string): void {
  if (mayLogIn(login, registry)) return;
  throw new MlcliError(`The login is for ${login}, but the repository is in ${registry}`, {
    hint: "Something else than AWS may have answered. Check AWS_ENDPOINT_URL, and the proxy.",
  });
}

/** The registry of a repository's address. */
export function hostOf(uri: string): string {
  return uri.split("/")[0] ?? "";
}
