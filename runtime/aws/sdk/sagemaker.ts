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
  AddTagsCommand,
  CreateEndpointCommand,
  CreateEndpointConfigCommand,
  CreateModelCommand,
  CreateProcessingJobCommand,
  CreateTrainingJobCommand,
  DeleteEndpointCommand,
  DeleteEndpointConfigCommand,
  DeleteModelCommand,
  DescribeEndpointCommand,
  DescribeEndpointConfigCommand,
  DescribeModelCommand,
  DescribeProcessingJobCommand,
  DescribeTrainingJobCommand,
  ListEndpointsCommand,
  ListProcessingJobsCommand,
  ListTagsCommand,
  ListTrainingJobsCommand,
  SageMakerClient,
  StopProcessingJobCommand,
  StopTrainingJobCommand,
  UpdateEndpointCommand,
} from "@aws-sdk/client-sagemaker";
export type {
  CreateEndpointCommandInput,
  CreateEndpointConfigCommandInput,
  CreateModelCommandInput,
  CreateProcessingJobCommandInput,
  CreateTrainingJobCommandInput,
  DescribeEndpointCommandOutput,
  DescribeEndpointConfigCommandOutput,
  DescribeModelCommandOutput,
  DescribeProcessingJobCommandOutput,
  DescribeTrainingJobCommandOutput,
  EndpointStatus,
  ListEndpointsInput,
  ProcessingJobStatus,
  TrainingJobStatus,
  UpdateEndpointCommandInput,
} from "@aws-sdk/client-sagemaker";
