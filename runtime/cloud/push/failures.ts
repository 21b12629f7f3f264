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

const PERMISSIONS = `For all permissions, see "Roles and permissions" in mlcli's documentation.`;

/** Emulators without a registry may name AWS's. */
const EMULATORS = "an AWS emulator might have no registry";

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
        hint: `Add the permission ${action} to the user or role named above. ${PERMISSIONS}`,
      });
    }
    case "refused without a word":
      return new MlcliError(`${failed}: the registry denied access without a reason`, {
        quote,
        hint: `Allow ecr:BatchCheckLayerAvailability for your user or role. ${PERMISSIONS}`,
      });
    case "expired":
    case "no login":
      return new MlcliError(`${failed}: the registry refused the login`, {
        quote,
        hint: `Check this machine's clock, the region and AWS_ENDPOINT_URL: ${EMULATORS}`,
      });
    case "no repository":
      return new MlcliError(`${failed}: the registry cannot find the repository`, {
        quote,
        hint: "Check the account and the region: the repository exists according to the ECR API",
      });
    case "no image":
      return new MlcliError(`${failed}: the image no longer exists`, {
        quote,
        hint: "If the image was removed during the push, rebuild it. Then push again.",
      });
    case "network":
      return new MlcliError(`${failed}: the Docker Engine cannot reach the registry`, {
        quote,
        hint: "Check the network, certificates and proxy of the Docker Engine (see docker info). " +
          `If AWS_ENDPOINT_URL is set, ${EMULATORS}.`,
      });
    case "other":
      return new MlcliError(failed, {
        quote,
        hint: hintFor(words) ??
          "Fix the cause above, then push again. mlcli did not change the tag.",
      });
  }
}

export function immutableTagError(uri: string, tag: string): MlcliError {
  return new MlcliError(`Tag ${tag} of ${uri} is immutable and already has another image`, {
    hint: "Use another tag: mlcli build -t TAG, then mlcli push -t TAG",
  });
}
