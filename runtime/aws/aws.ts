import type { Ecr } from "./ecr.ts";
import type { Logs } from "./logs.ts";
import type { S3 } from "./s3.ts";
import type { SageMaker } from "./sagemaker.ts";
import type { SageMakerRuntime } from "./sagemaker_runtime.ts";
import { AwsSession, type SessionContext } from "./session.ts";
import type { AwsSettings } from "./settings.ts";
import type { Sts } from "./sts.ts";

/**
 * The services of AWS, in one account and role. Each loads its client when it is first asked for, sends
 * nothing yet, and throws where no region is named.
 */
export interface Aws {
  sagemaker(): Promise<SageMaker>;
  runtime(): Promise<SageMakerRuntime>;
  ecr(): Promise<Ecr>;
  s3(): Promise<S3>;
  logs(): Promise<Logs>;
  sts(): Promise<Sts>;
  close(): void;
}

/**
 * @throws AwsError when the profile does not exist, or the proxy's address is not valid.
 */
export async function openAws(settings: AwsSettings, context: SessionContext): Promise<Aws> {
  const session = await AwsSession.open(settings, context);
  return {
    sagemaker: once(async () => (await import("./sagemaker.ts")).openSageMaker(session)),
    runtime: once(async () => (await import("./sagemaker_runtime.ts")).openRuntime(session)),
    ecr: once(async () => (await import("./ecr.ts")).openEcr(session)),
    s3: once(async () => (await import("./s3.ts")).openS3(session)),
    logs: once(async () => (await import("./logs.ts")).openLogs(session)),
    sts: once(async () => (await import("./sts.ts")).openSts(session)),
    close: () => session[Symbol.dispose](),
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => made ??= make();
}
