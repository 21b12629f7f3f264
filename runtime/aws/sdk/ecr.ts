/**
 * The parts of the SDK's client of ECR that mlcli uses.
 *
 * @module
 */

export {
  BatchGetImageCommand,
  CreateRepositoryCommand,
  DescribeImagesCommand,
  DescribeRepositoriesCommand,
  ECRClient,
  GetAuthorizationTokenCommand,
  PutImageCommand,
} from "@aws-sdk/client-ecr";
