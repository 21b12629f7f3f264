/**
 * The parts of the AWS SDK that mlcli uses, all of them. No other module imports the SDK, so that
 * it can be made into one file for the binary: that loads three times as fast. From source, Deno
 * looks up everything that the SDK needs once more (20 ms) for each package that is imported here
 * from the start: one does.
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

/** Those who get credentials from elsewhere than the environment: loaded when needed. */
export function credentialProviders(): Promise<typeof import("@aws-sdk/credential-providers")> {
  return import("@aws-sdk/credential-providers");
}
