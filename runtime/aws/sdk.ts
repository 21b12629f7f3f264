/**
 * All parts of the AWS SDK that mlcli uses. No other module imports the SDK, so that it can be
 * bundled into one file for the binary, which loads three times as fast. From source, each package
 * that is imported statically makes Deno look up everything that the SDK needs once more (20 ms):
 * so only one is.
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

/** The providers of credentials from other places than the environment; loaded when needed. */
export function credentialProviders(): Promise<typeof import("@aws-sdk/credential-providers")> {
  return import("@aws-sdk/credential-providers");
}
