/**
 * What ECR's service model asks of the input of its operations: botocore 1.44.5,
 * `data/ecr/2015-09-21/service-2.json`, for the members in use.
 *
 * @module
 */

import { flag, integer, list, oneOf, required, structure, text } from "./rules.ts";
import type { Structure } from "./validation.ts";

const registryId = text({ pattern: /[0-9]{12}/ });
/** `RepositoryName`. */
const repositoryName = text({
  min: 2,
  max: 256,
  pattern: /[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*/,
});
const imageTag = text({ min: 1, max: 300 });
const imageIds = list(structure({ imageDigest: text(), imageTag }), 1, 100);
const layerDigest = text({ min: 0, max: 1_000 });
const page = { nextToken: text(), maxResults: integer(1, 1_000) };
const repository = { registryId, repositoryName: required(repositoryName) };

/** The rule of each operation that the box has. */
export const ECR_RULES: Readonly<Record<string, Structure>> = {
  DescribeRepositories: structure({
    registryId,
    repositoryNames: list(repositoryName, 1, 100),
    ...page,
  }),
  CreateRepository: structure({
    ...repository,
    tags: list(structure({ Key: required(text()), Value: required(text()) })),
    imageTagMutability: oneOf("MUTABLE", "IMMUTABLE"),
    imageScanningConfiguration: structure({ scanOnPush: flag }),
    encryptionConfiguration: structure({
      encryptionType: required(oneOf("AES256", "KMS", "KMS_DSSE")),
      kmsKey: text({ min: 1, max: 2_048 }),
    }),
  }),
  GetAuthorizationToken: structure({ registryIds: list(registryId, 1, 10) }),
  DescribeImages: structure({
    ...repository,
    imageIds,
    ...page,
    filter: structure({ tagStatus: oneOf("TAGGED", "UNTAGGED", "ANY") }),
  }),
  BatchGetImage: structure({
    ...repository,
    imageIds: required(imageIds),
    acceptedMediaTypes: list(text(), 1, 100),
  }),
  PutImage: structure({
    ...repository,
    imageManifest: required(text({ min: 1, max: 4_194_304 })),
    imageManifestMediaType: text(),
    imageTag,
    imageDigest: text(),
  }),
  BatchCheckLayerAvailability: structure({
    ...repository,
    layerDigests: required(list(layerDigest, 1, 100)),
  }),
  GetDownloadUrlForLayer: structure({
    ...repository,
    layerDigest: required(text({ pattern: /[a-zA-Z0-9-_+.]+:[a-fA-F0-9]+/ })),
  }),
};
