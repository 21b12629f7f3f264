/**
 * AWS in memory: the services that a test gives, and no others.
 *
 * @module
 */

import type { Aws } from "../../runtime/aws/aws.ts";
import type { SageMaker } from "../../runtime/aws/sagemaker.ts";

/** AWS with these services. */
export function memoryAws({ sagemaker }: { readonly sagemaker: SageMaker }): Aws {
  const unreachable = (): never => {
    throw new Error("The test gives no such service");
  };
  return {
    sagemaker: () => Promise.resolve(sagemaker),
    runtime: unreachable,
    ecr: unreachable,
    s3: unreachable,
    logs: unreachable,
    sts: unreachable,
    close: () => {},
  };
}
