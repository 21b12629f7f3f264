import type { ModelInput } from "../../aws/sagemaker.ts";
import type { TransformJobInput } from "../../aws/sagemaker_jobs.ts";
import { asDirectory, type S3Address, s3Uri } from "../../contract/addresses.ts";
import { type AskedTransform, isProcessed, type Transform } from "../../contract/transform.ts";
import type { Setting } from "../../setting.ts";
import { emptyLeftOut, type JobRequest, network, type Planned, volumeKey } from "../start/plan.ts";
import { tagsOf } from "../tags.ts";

/** What answers the requests of a transform. */
export type TransformModel =
  /** A model of SageMaker's. */
  | { readonly name: string }
  /** The model that an endpoint serves. */
  | { readonly endpoint: string }
  /** An archive, of which a model is made. */
  | { readonly address: S3Address }
  /** The artifact of a training, of which a model is made. */
  | { readonly job: string };

export interface TransformRequest extends JobRequest, AskedTransform {
  readonly image: Setting<string> | undefined;
  readonly model: TransformModel | undefined;
  readonly job: TransformModel | undefined;
  readonly endpoint: TransformModel | undefined;
  readonly inputS3Location: S3Address | undefined;
  readonly outputS3Dir: Setting<S3Address> | undefined;
}

/** A checked transform. */
export interface PlannedTransform extends Omit<Planned, "image" | "role"> {
  /** Of a model that is made for it; else `undefined`. */
  readonly image: string | undefined;
  readonly model: string;
  readonly input: S3Address;
  readonly output: S3Address;
  readonly transform: Transform;
}

const SPLITS = { none: "None", line: "Line", recordio: "RecordIO", tfrecord: "TFRecord" } as const;

/** The input of CreateTransformJob; `undefined` is not sent. */
export function transformPlan(planned: PlannedTransform): TransformJobInput {
  const { transform, kmsKey } = planned;
  const { strategy, join } = transform;
  return {
    TransformJobName: planned.name,
    ModelName: planned.model,
    MaxConcurrentTransforms: transform.maxConcurrency,
    MaxPayloadInMB: transform.maxPayload,
    BatchStrategy: strategy && (strategy === "multi" ? "MultiRecord" : "SingleRecord"),
    ModelClientConfig: {
      InvocationsTimeoutInSeconds: transform.invocationTimeout,
      InvocationsMaxRetries: transform.invocationRetries,
    },
    ...emptyLeftOut("Environment", planned.variables),
    TransformInput: {
      DataSource: { S3DataSource: { S3DataType: "S3Prefix", S3Uri: s3Uri(planned.input) } },
      ContentType: transform.contentType,
      CompressionType: transform.compression === "gzip" ? "Gzip" : "None",
      SplitType: SPLITS[transform.split],
    },
    TransformOutput: {
      S3OutputPath: s3Uri(asDirectory(planned.output)),
      Accept: transform.accept,
      AssembleWith: SPLITS[transform.assemble],
      KmsKeyId: kmsKey?.value,
    },
    TransformResources: {
      InstanceType: planned.instanceType as "ml.m5.large",
      InstanceCount: planned.instanceCount,
      ...volumeKey(planned),
    },
    DataProcessing: isProcessed(transform)
      ? {
        InputFilter: transform.inputFilter,
        OutputFilter: transform.outputFilter,
        JoinSource: join === "input" ? "Input" : "None",
      }
      : undefined,
    Tags: tagsOf(planned),
  };
}

/** The input of CreateModel for the model that goes with a transform, and has its name. */
export function transformModel(
  planned: Omit<Planned, "instanceCount" | "variables">,
  archive: S3Address,
): ModelInput {
  const { name, image, role, networkIsolation, subnet } = planned;
  return {
    ModelName: name,
    // SageMaker takes no ModelDataSource for transforms.
    PrimaryContainer: { Image: image, ModelDataUrl: s3Uri(archive) },
    ExecutionRoleArn: role,
    ...subnet.length === 0 ? {} : { VpcConfig: network(planned) },
    ...networkIsolation.value ? { EnableNetworkIsolation: true } : {},
    Tags: tagsOf({ ...planned, job: name }),
  };
}
