/**
 * The parts of the SDK's client of SageMaker that mlcli uses.
 *
 * Only the modules of this folder import the SDK, each one client and nothing else. So a command
 * loads the clients that it needs, and each can be bundled file by file for the binary
 * (`scripts/compile/bundle.ts`), which loads three times as fast.
 *
 * @module
 */

export {
  CreateProcessingJobCommand,
  CreateTrainingJobCommand,
  DeleteEndpointCommand,
  DeleteEndpointConfigCommand,
  DescribeEndpointCommand,
  DescribeProcessingJobCommand,
  DescribeTrainingJobCommand,
  ListEndpointsCommand,
  ListProcessingJobsCommand,
  ListTrainingJobsCommand,
  SageMakerClient,
  StopProcessingJobCommand,
  StopTrainingJobCommand,
} from "@aws-sdk/client-sagemaker";
export type {
  CreateProcessingJobCommandInput,
  CreateTrainingJobCommandInput,
  DescribeProcessingJobCommandOutput,
  DescribeTrainingJobCommandOutput,
  EndpointStatus,
  ListEndpointsInput,
  ProcessingJobStatus,
  TrainingJobStatus,
} from "@aws-sdk/client-sagemaker";
