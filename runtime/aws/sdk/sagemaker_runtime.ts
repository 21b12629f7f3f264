/**
 * The parts of the SDK's client of SageMaker Runtime that mlcli uses.
 *
 * @module
 */

export {
  InvokeEndpointCommand,
  InvokeEndpointWithResponseStreamCommand,
  SageMakerRuntimeClient,
} from "@aws-sdk/client-sagemaker-runtime";
