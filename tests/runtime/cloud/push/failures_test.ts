import { assertEquals, assertMatch } from "@std/assert";
import { isRefusal } from "../../../../runtime/aws/errors.ts";
import {
  pushError,
  type PushFailure,
  pushFailure,
} from "../../../../runtime/cloud/push/failures.ts";
import { it, suite } from "../../../helpers/suite.ts";

const TARGET = { uri: "host/churn", tag: "v1", reference: "churn:v1" };

/**
 * What engines and ECR say: of Docker 20.10.24, of Docker 29 ("error from registry"), and
 * the threads that failures.ts names.
 */
const ROWS: readonly (readonly [words: string, failure: PushFailure])[] = [
  [
    "denied: Your authorization token has expired. Reauthenticate and try again.",
    "expired",
  ],
  [
    "tag invalid: The image tag 'v1' already exists in the 'churn' repository and cannot be " +
    "overwritten because the tag is immutable.",
    "immutable",
  ],
  [
    "tag invalid: The image tag 'v1' already exists in the 'churn' repository and cannot be " +
    "overwritten because the repository is immutable.",
    "immutable",
  ],
  [
    "denied: User: arn:aws:iam::123456789012:user/ana is not authorized to perform: " +
    "ecr:InitiateLayerUpload on resource: arn:aws:ecr:eu-west-1:123456789012:repository/churn",
    "denied",
  ],
  [
    "name unknown: The repository with name 'churn' does not exist in the registry with id '1'",
    "no repository",
  ],
  [
    'error parsing HTTP 403 response body: unexpected end of JSON input: ""',
    "refused without a word",
  ],
  [
    "failed to do request: unexpected status from HEAD request to https://host/v2/churn/blobs/" +
    "sha256:00: 403 Forbidden",
    "refused without a word",
  ],
  [
    "error from registry: Your authorization token has expired. Reauthenticate and try again.",
    "expired",
  ],
  [
    "error from registry: The repository with name 'churn' does not exist in the registry with " +
    "id '1'",
    "no repository",
  ],
  [
    "error from registry: User: arn:aws:iam::123456789012:user/ana is not authorized to perform: " +
    "ecr:PutImage on resource: arn:aws:ecr:eu-west-1:123456789012:repository/churn",
    "denied",
  ],
  ["error from registry: Your Authorization Token is invalid.", "no login"],
  ["no basic auth credentials", "no login"],
  ["unauthorized: authentication required", "no login"],
  ["denied: Your Authorization Token is invalid.", "no login"],
  ["tag does not exist: host/churn:v1", "no image"],
  ["An image does not exist locally with the tag: host/churn", "no image"],
  ['Get "https://host/v2/": dial tcp: lookup host on 1.1.1.1:53: no such host', "network"],
  ['Get "http://localhost:1/v2/": dial tcp 127.0.0.1:1: connect: connection refused', "network"],
  ["EOF", "network"],
  ["unexpected EOF", "network"],
  ['Get "https://host/v2/": x509: certificate signed by unknown authority', "network"],
  ["received unexpected HTTP status: 500 Internal Server Error", "other"],
  ["write /var/lib/docker/tmp/x: no space left on device", "other"],
  ["the engine stopped the push without a digest from the registry", "other"],
];

suite("why a push fails", () => {
  it("names what frees the engine's disk where that is full", () => {
    const { hint = "" } = pushError("write /var/lib/docker/tmp/x: no space left on device", TARGET);
    assertMatch(hint, /docker system prune/);
  });

  for (const [words, failure] of ROWS) {
    it(`${failure}: ${words.slice(0, 50)}`, () => {
      assertEquals(pushFailure(words), failure);
      const error = pushError(words, TARGET);
      const { hint = "" } = error;
      assertMatch(hint, /^[A-Z].*[\w.]$/);
      // Only several sentences end with a full stop.
      assertEquals(hint.endsWith("."), /\. \S/.test(hint));
      if (failure !== "immutable") assertEquals(error.quote, words);
      assertEquals(isRefusal(error, "denied"), failure === "denied");
    });
  }

  it("may be an emulator's: moto names AWS's registry, and has none", () => {
    const uri = "123456789012.dkr.ecr.us-east-1.amazonaws.com/churn";
    const words = `Get "https://${uri.split("/")[0]}/v2/": dial tcp: lookup ${uri}: no such host`;
    const { message, hint } = pushError(words, { ...TARGET, uri });
    assertEquals(
      message,
      `Cannot push churn:v1 to ${uri}:v1: the Docker Engine cannot reach the registry`,
    );
    const where = "an AWS emulator might have no registry";
    assertEquals(hint?.endsWith(`${where}.`), true);
    assertEquals(pushError("no basic auth credentials", TARGET).hint?.endsWith(where), true);
  });

  it("is shown without what a terminal would obey", () => {
    assertEquals(pushError("bad \x1b[2J\n", TARGET).quote, "bad ?[2J");
  });

  it("names the permission", () => {
    assertEquals(
      pushError(ROWS[3]![0], TARGET).message,
      "AccessDeniedException: ecr:InitiateLayerUpload",
    );
  });
});
