/**
 * The parts of the AWS SDK that mlcli uses, all of them. No other module imports the SDK, so that
 * it can be made into one file for the binary: that loads three times as fast.
 *
 * @module
 */

export {
  DeleteEndpointCommand,
  DeleteEndpointConfigCommand,
  DescribeEndpointCommand,
  ListEndpointsCommand,
  SageMakerClient,
} from "@aws-sdk/client-sagemaker";
export type { EndpointStatus, ListEndpointsInput } from "@aws-sdk/client-sagemaker";
export { fromEnv } from "@aws-sdk/credential-provider-env";
export { FetchHttpHandler } from "@smithy/fetch-http-handler";

/** Those who get credentials from elsewhere than the environment: loaded when needed. */
export function credentialProviders(): Promise<typeof import("@aws-sdk/credential-providers")> {
  return import("@aws-sdk/credential-providers");
}
