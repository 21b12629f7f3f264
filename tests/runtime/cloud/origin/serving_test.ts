import { assertEquals } from "@std/assert";
import type {
  EndpointConfigurationDetails,
  ModelDetails,
} from "../../../../runtime/aws/sagemaker.ts";
import { servingDraft } from "../../../../runtime/cloud/origin/serving.ts";
import { it, suite } from "../../../helpers/suite.ts";

const IMAGE = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/pytorch-inference:2.6";
const MODEL = "s3://bucket/job/output/model.tar.gz";

function draftOf(container: object, configuration: object = {}, more: object = {}) {
  const model = { PrimaryContainer: { Image: IMAGE, ...container }, ...more };
  return servingDraft(
    model as unknown as ModelDetails,
    configuration as unknown as EndpointConfigurationDetails,
    "shop",
  );
}

suite("the app of an endpoint", () => {
  it("has all that mlcli deploy needs, by its own keys, but for a name", () => {
    const { configuration, next, left, code } = draftOf({ ModelDataUrl: MODEL }, {
      ProductionVariants: [{
        VariantName: "AllTraffic",
        InstanceType: "ml.g5.xlarge",
        InitialInstanceCount: 2,
        InferenceAmiVersion: "al2-ami-1",
        ContainerStartupHealthCheckTimeoutInSeconds: 600,
      }],
      DataCaptureConfig: {
        EnableCapture: true,
        InitialSamplingPercentage: 100,
        DestinationS3Uri: "s3://bucket/captured",
      },
      KmsKeyId: "alias/mine",
    }, {
      ExecutionRoleArn: "arn:aws:iam::111122223333:role/serving",
      VpcConfig: { Subnets: ["subnet-1"], SecurityGroupIds: ["sg-1"] },
      EnableNetworkIsolation: false,
    });
    assertEquals({ configuration, left, code, next }, {
      configuration: {
        image: IMAGE,
        execution_role: "arn:aws:iam::111122223333:role/serving",
        deploy: {
          model: MODEL,
          ec2_type: "ml.g5.xlarge",
          instance_count: 2,
          health_check_timeout: 600,
          inference_ami_version: "al2-ami-1",
          data_capture: "s3://bucket/captured",
          kms_key: "alias/mine",
          subnet: ["subnet-1"],
          security_group: ["sg-1"],
        },
      },
      left: [],
      code: undefined,
      next: [
        `mlcli download-model ${MODEL}`,
        "mlcli local deploy",
        "mlcli local invoke FILE",
        "mlcli deploy --endpoint-name ENDPOINT",
      ],
    });
  });

  it("names the program in the model's own code, and no other value", () => {
    const program = {
      SAGEMAKER_PROGRAM: "inference.py",
      SAGEMAKER_SUBMIT_DIRECTORY: "/opt/ml/model/code",
      SAGEMAKER_REGION: "eu-west-1",
    };
    const { configuration, next, left } = draftOf({
      ModelDataUrl: MODEL,
      Environment: { ...program, HF_TOKEN: "s3cret" },
    });
    assertEquals(configuration.deploy, { env: program, model: MODEL });
    const here = "mlcli local deploy --env SAGEMAKER_PROGRAM=inference.py " +
      "--env SAGEMAKER_SUBMIT_DIRECTORY=/opt/ml/model/code --env SAGEMAKER_REGION=eu-west-1";
    assertEquals(next[1], here);
    assertEquals(left, [
      `Variable values were not copied. To pass those of your shell: ${here} ` +
      "--env HF_TOKEN",
    ]);
  });

  it("takes over code that lies in S3 by itself", () => {
    const { configuration, code, next } = draftOf({
      Environment: {
        SAGEMAKER_PROGRAM: "inference.py",
        SAGEMAKER_SUBMIT_DIRECTORY: "s3://bucket/code/sourcedir.tar.gz",
      },
    });
    const { source_dir, deploy } = configuration;
    assertEquals([source_dir, deploy], ["shop/code", { entry_point: "inference.py" }]);
    assertEquals(code?.address, { bucket: "bucket", key: "code/sourcedir.tar.gz" });
    assertEquals(next[0], "mlcli local deploy");
  });

  it("takes a serverless endpoint, and a model of plain files", () => {
    const { configuration, next } = draftOf({
      ModelDataSource: { S3DataSource: { S3Uri: "s3://bucket/plain/" } },
    }, {
      ProductionVariants: [{ ServerlessConfig: { MemorySizeInMB: 2048, MaxConcurrency: 5 } }],
    });
    assertEquals(configuration.deploy, {
      model: "s3://bucket/plain/",
      memory_size_in_mb: 2048,
      max_concurrency: 5,
    });
    const folder = "shop/mlcli_base/local_test/test_dir/model";
    assertEquals(next[0], `aws s3 cp --recursive s3://bucket/plain/ ${folder}`);
  });

  it("says what it has not", () => {
    const { left } = draftOf({ Mode: "MultiModel" }, {
      ProductionVariants: [{ VariantName: "a", RoutingConfig: { X: 1 } }, { VariantName: "b" }],
      DataCaptureConfig: { EnableCapture: true, InitialSamplingPercentage: 20 },
      AsyncInferenceConfig: { OutputConfig: {} },
    });
    assertEquals(left, [
      "mlcli captures all requests, not 20%",
      "mlcli has no setting for AsyncInferenceConfig, Container.Mode, Further.ProductionVariants, " +
      "Variant.RoutingConfig",
    ]);
    const containers = [{ Image: "first:1" }, { Image: "second:1" }];
    const pipeline = draftOf({}, {}, { PrimaryContainer: undefined, Containers: containers });
    assertEquals([pipeline.configuration.image, pipeline.left], ["first:1", [
      "mlcli has no setting for Further.Containers",
    ]]);
  });
});
