/** SageMaker's instance types, for completion alone: the service says what it takes. */

// The whole client takes four times as long to load.
import {
  ProcessingInstanceType,
  ProductionVariantInstanceType,
  TrainingInstanceType,
} from "@aws-sdk/client-sagemaker/dist-es/models/enums.js";

/** `ml.m5.large`, ... */
export const INSTANCE_TYPES: readonly string[] = [
  ...new Set(
    [TrainingInstanceType, ProcessingInstanceType, ProductionVariantInstanceType].flatMap((types) =>
      Object.values<string>(types)
    ),
  ),
];
