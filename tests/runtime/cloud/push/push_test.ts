import { assertEquals } from "@std/assert";
import { callsOf } from "../../../../runtime/cloud/push/push.ts";
import { it, suite } from "../../../helpers/suite.ts";

const target = { uri: "host/team/churn", tag: "v1", reference: "churn:v1" };
const stored = { digest: "sha256:0c", mediaType: "oci", manifest: "{}" };
const form = { digest: "sha256:d0", manifest: "{docker}", configuration: "c", isOfList: false };
const name = "team/churn";

const CREATE = { action: "ecr:CreateRepository", input: { repositoryName: name } };
const PUSH = {
  action: "docker:ImagePush",
  input: { image: "churn:v1", name: "host/team/churn", tag: "v1" },
};

suite("the calls of a push", () => {
  for (
    const [what, isRepositoryThere, found, expected] of [
      ["create what is missing", false, undefined, [CREATE, PUSH]],
      ["send what the repository lacks", true, undefined, [PUSH]],
      ["send what is new", true, { isSame: false, stored }, [PUSH]],
      [
        "are none where nothing is new",
        true,
        { isSame: true, isOfList: false, stored: { ...stored, digest: "sha256:d0" }, form },
        [],
      ],
      [
        "put Docker's manifest over another",
        true,
        { isSame: true, isOfList: false, stored, form },
        [{
          action: "ecr:PutImage",
          input: {
            repositoryName: name,
            imageTag: "v1",
            imageManifestMediaType: "application/vnd.docker.distribution.manifest.v2+json",
            imageManifest: "{docker}",
          },
        }],
      ],
    ] as const
  ) {
    it(what, () => assertEquals(callsOf({ isRepositoryThere, found, target, name }), expected));
  }
});
