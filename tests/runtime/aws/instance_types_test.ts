import {
  ProcessingInstanceType,
  ProductionVariantInstanceType,
  TrainingInstanceType,
} from "@aws-sdk/client-sagemaker";
import { assertEquals } from "@std/assert";
import { INSTANCE_TYPES } from "../../../runtime/aws/instance_types.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the instance types that are completed", () => {
  it("are those that the SDK knows, each once", () => {
    const known = [TrainingInstanceType, ProcessingInstanceType, ProductionVariantInstanceType]
      .flatMap((types): string[] => Object.values(types));
    assertEquals([...INSTANCE_TYPES].sort(), [...new Set(known)].sort());
  });
});
