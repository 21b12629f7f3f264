import { AwsError } from "../../aws/errors.ts";
import { hintFor } from "../../docker/errors.ts";
import { MlcliError } from "../../errors.ts";
import { printable } from "../../text.ts";

export type PushFailure =
  | "expired"
  | "immutable"
  | "denied"
  | "refused without a word"
  | "no repository"
  | "no login"
  | "no image"
  | "network"
  | "other";

/**
 * Words of ECR and of the engine, which passes a registry's refusals on as text alone; the first pattern
 * that matches counts.
 */
const WORDS: readonly (readonly [RegExp, PushFailure])[] = [
  // github.com/aws/aws-cli #2351
  [/authorization token has expired/i, "expired"],
  // github.com/osscontainertools/kaniko #204, github.com/moby/buildkit #3776
  [/\btag\b.{0,600}\bimmutable\b/is, "immutable"],
  [/is not authorized to perform/i, "denied"],
  // An answer to HEAD has no text: Docker 20.10 (tried), and containerd's remotes/docker.
  [
    /error parsing HTTP 40[13] response body: unexpected end|unexpected status from \w+ request to .{0,2000}: 40[13]\b/i,
    "refused without a word",
  ],
  [/^name unknown\b|repository with name .{0,300} does not exist/i, "no repository"],
  [/no basic auth credentials|unauthorized|authorization token is invalid|^denied\b/i, "no login"],
  [/tag does not exist|image does not exist locally|no such image/i, "no image"],
  [
    /dial tcp|no such host|i\/o timeout|connection (refused|reset)|\bEOF\b|x509|tls:|proxyconnect|deadline exceeded|server gave HTTP response/i,
    "network",
  ],
];

export function pushFailure(words: string): PushFailure {
  return WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? "other";
}

export interface PushTarget {
  /** `123456789012.dkr.ecr.eu-west-1.amazonaws.com/churn` */
  readonly uri: string;
  readonly tag: string;
  /** The image here: `churn:latest`. */
  readonly reference: string;
}

/** Emulators without a registry may name AWS's. */
const EMULATORS = "an emulator of AWS may name a registry that it does not have.";

export function pushError(words: string, { uri, tag, reference }: PushTarget): MlcliError {
  const quote = printable(words.trim());
  const failed = `Cannot push ${reference} to ${uri}:${tag}`;
  switch (pushFailure(words)) {
    case "immutable":
      return immutableTagError(uri, tag);
    case "denied": {
      const action = /perform: ([\w-]+:\w+)/.exec(words)?.[1] ?? "ecr:PutImage";
      return new AwsError("denied", `AccessDeniedException: ${action}`, {
        quote,
        hint:
          `Add the permission ${action} to the user or role named above; docs/how-to/roles.md has all ` +
          "that push needs.",
      });
    }
    case "refused without a word":
      return new MlcliError(`${failed}: the registry refuses, without a reason`, {
        quote,
        hint:
          "It does not let the engine look for layers that are there. The permission for that is " +
          "ecr:BatchCheckLayerAvailability; docs/how-to/roles.md has all that push needs.",
      });
    case "expired":
    case "no login":
      return new MlcliError(`${failed}: the registry refuses the login`, {
        quote,
        hint: "It was made for this push. Check this machine's clock, the region, and " +
          `AWS_ENDPOINT_URL: ${EMULATORS}`,
      });
    case "no repository":
      return new MlcliError(`${failed}: the registry has no such repository`, {
        quote,
        hint: "Check account and region: the repository is there in those that were asked.",
      });
    case "no image":
      return new MlcliError(`${failed}: the image is not there any more`, {
        quote,
        hint: "Was it built or removed meanwhile? Try again.",
      });
    case "network":
      return new MlcliError(`${failed}: the Docker Engine does not reach the registry`, {
        quote,
        hint:
          "It is the engine that sends the image: its network, its proxy and its certificates " +
          `count (docker info names the proxy), not those of mlcli. And ${EMULATORS}`,
      });
    case "other":
      return new MlcliError(failed, {
        quote,
        hint: hintFor(words) ??
          "The engine or the registry gave this reason. Nothing was put under the tag.",
      });
  }
}

export function immutableTagError(uri: string, tag: string): MlcliError {
  return new MlcliError(`The tag ${tag} of ${uri} has another image, and cannot be changed`, {
    hint: "The repository's tags are immutable. Take another tag: mlcli build -t TAG, then " +
      "mlcli push -t TAG.",
  });
}
