/**
 * Why a job or an endpoint on SageMaker failed: the likely meaning of its reason, or of the end of its
 * log, and what to do. SageMaker has no codes for this, only words; each row has its source.
 */

import { PATHS, type Role } from "./jobs.ts";
import {
  LAST_VERSIONS,
  MISSING_MODULE,
  missingModule,
  missingModuleHint,
} from "./missing_modules.ts";
import { explainingLines } from "./outcome.ts";

/** A job or an endpoint that failed. */
export interface Failure {
  /** `FailureReason` */
  readonly reason: string;
  /** The last lines of its log, as far as they may be read. */
  readonly log: readonly string[];
  readonly kind: Role;
  readonly isSpot?: boolean;
  readonly instanceCount?: number;
}

export interface Cause {
  readonly name: CauseName;
  readonly words: string;
}

export type CauseName =
  | "capacity"
  | "quota"
  | "role"
  | "image"
  | "architecture"
  | "entry point"
  | "disk"
  | "GPU memory"
  | "memory"
  | "archive"
  | "data"
  | "permission"
  | "time limit"
  | "platform"
  | "crash"
  | "module"
  | "read-only"
  | "local host"
  | "code"
  | "ping";

interface Row {
  readonly name: CauseName;
  /** Whose failure it can be; anything's without them. */
  readonly kinds?: readonly Role[];
  /** Words of SageMaker's reason. */
  readonly reason?: RegExp;
  /** Words of any line of the log: those that a program prints only if it cannot go on. */
  readonly log?: RegExp;
  /** Words of an error that a program may handle: they count in `explainingLines` of the log. */
  readonly error?: RegExp;
  readonly words: string | ((failure: Failure) => string);
  /** Where these words were seen. */
  readonly source: string;
}

const JOBS: readonly Role[] = ["train", "process"];
const SERVERS: readonly Role[] = ["serve", "transform"];

/** The command that runs the same here. */
const localRun = ({ kind, instanceCount = 1 }: Failure): string =>
  `mlcli local ${kind === "serve" ? "deploy" : kind}` +
  (instanceCount > 1 && JOBS.includes(kind) ? " --instance-count 2" : "");

const either = (job: string, server: string) => ({ kind }: Failure): string =>
  kind === "serve" ? server : job;

const PULLING = "To push it, run mlcli push. The execution role needs ecr:GetAuthorizationToken, " +
  "BatchCheckLayerAvailability, BatchGetImage and GetDownloadUrlForLayer.";

/** Python's words for a write to these paths, or below the code's directory. */
const readOnly = (paths: string): RegExp =>
  new RegExp(`\\[Errno 30\\] Read-only file system: '(?!/(?!opt/(?:program|ml/(?:${paths}))\\b))`);
const READ_ONLY = readOnly("code|input|config|processing/input");
const READ_ONLY_SERVER = readOnly("code|model");

/** Matches these words of an uncaught error: libraries that handle it log them without its class. */
const errorOf = ({ source }: RegExp): RegExp => new RegExp(`\\b\\w*Error: ${source}`);

/** A line of a library that cannot resolve the name of the local machine. */
const NO_LOCAL_HOST =
  /host\.docker\.internal.*(not known|name resolution|no such host)|Could not resolve host: host\.docker/i;
const NOT_KEPT = "Write temporary files to /tmp.";

/** The first row that matches counts: certain causes come before likely ones. */
export const CAUSES: readonly Row[] = [
  {
    name: "capacity",
    reason: /CapacityError|Insufficient(Instance)?Capacity|Insufficient capacity/i,
    words: ({ isSpot }) =>
      isSpot
        ? "AWS has no spot capacity for this instance type at the moment. Omit --spot, use " +
          "another --ec2-type, or retry later."
        : "AWS has no capacity for this instance type in the region at the moment. Retry later, or " +
          "use another --ec2-type or --region.",
    source: "https://github.com/DIAGNijmegen/rse-grand-challenge/issues/2631",
  },
  {
    name: "quota",
    reason: /ResourceLimitExceeded|service limit '/,
    words: "The account's quota for this instance type is used up, or is 0 as in new accounts. " +
      "Request a higher quota under Service Quotas in the AWS console, or use another --ec2-type.",
    source: "https://github.com/aws/amazon-sagemaker-examples/issues/307",
  },
  {
    name: "role",
    reason:
      /unable to (assume the role|perform: sts:AssumeRole)|Could not assume role|role ARN .{0,2048} is invalid/i,
    words: "SageMaker cannot assume the execution role. Use the full ARN including its path, and " +
      "allow sagemaker.amazonaws.com in the role's trust policy.",
    source: "https://github.com/aws/sagemaker-python-sdk/issues/43, " +
      "https://github.com/astronomer/docs/pull/1695",
  },
  {
    name: "image",
    kinds: SERVERS,
    reason: /Image size \d+ is greater than supported/i,
    words: "The image is too large for a serverless endpoint (limit: 10 GB unpacked). Make it " +
      "smaller, or deploy to instances with --ec2-type and another endpoint name.",
    source: "https://github.com/aws-solutions-library-samples/qnabot-on-aws/issues/691",
  },
  {
    name: "image",
    reason:
      /Cannot pull algorithm container|manifest unknown|Requested image .{0,1000}not found|pull access denied|ecr:(BatchGetImage|GetDownloadUrlForLayer|BatchCheckLayerAvailability)|make sure all images included in the model|does not have BatchGetImage permission/,
    words: either(
      "SageMaker cannot pull the image: it does not exist in the job's region, the execution " +
        `role lacks permission, or the volume is too small (--volume-size). ${PULLING}`,
      "SageMaker cannot pull the image: it does not exist in the endpoint's region, or the " +
        `execution role lacks permission. ${PULLING}`,
    ),
    source: "https://github.com/aws/sagemaker-python-sdk/issues/57, " +
      "https://github.com/aws-samples/amazon-sagemaker-tensorflow-object-detection-api/issues/14, " +
      "https://github.com/aws/sagemaker-python-sdk/issues/1835, " +
      "https://github.com/aws/sagemaker-python-sdk/issues/2002",
  },
  {
    name: "architecture",
    reason: /exec format error/,
    log: /exec format error/,
    words: "The image does not match the processor of the instance. Rebuild it for " +
      "linux/amd64 (linux/arm64 for Graviton types such as ml.c7g), then push it.",
    source: "https://github.com/aws/deep-learning-containers/issues/1157, " +
      "https://github.com/aws-samples/amazon-sagemaker-custom-container/issues/3",
  },
  {
    name: "entry point",
    reason: /executable file not found in \$PATH|CannotStartContainerError/,
    log: /executable file not found in \$PATH/,
    words: (failure) =>
      "The image has no program that SageMaker can start. Images built from mlcli's template " +
      `have one. To test yours locally, run ${localRun(failure)} --strict.`,
    source: "https://github.com/aws/amazon-sagemaker-examples/issues/739, " +
      "https://github.com/aws-samples/comfyui-on-amazon-sagemaker/issues/2",
  },
  {
    name: "disk",
    reason: /Insufficient disk space|No space left on device/i,
    error: /No space left on device/,
    words: either(
      "The volume is full. Set a larger --volume-size (in GB; no effect for instance types " +
        "with local disks).",
      "The disk is full. Make the image and the model smaller, or use another --ec2-type. " +
        "Serverless endpoints have 5 GB.",
    ),
    source: "https://github.com/aws/sagemaker-python-sdk/issues/128, " +
      "https://github.com/huggingface/blog/issues/114",
  },
  {
    name: "GPU memory",
    reason: /CUDA out of memory|OutOfMemoryError: CUDA|out_of_memory: CUDA/,
    error: /CUDA out of memory|OutOfMemoryError: CUDA|out_of_memory: CUDA/,
    words: "The GPU ran out of memory. Use smaller batches, or an --ec2-type with more GPU memory.",
    source: "https://github.com/rapidsai/deployment/issues/523",
  },
  {
    name: "memory",
    reason: /exit code:? 137\b|instance type with more memory|\bMemoryError\b|std::bad_alloc/i,
    log: /std::bad_alloc|\bOOM ?killed|Perhaps out of memory|terminated due to signal 9\b/i,
    error: /^([\w./-]+: )?[\w.]*MemoryError\b|Cannot allocate memory/,
    words: either(
      "The job probably ran out of memory (Linux then kills it: exit code 137). Use smaller " +
        "batches, fewer workers, or an --ec2-type with more memory.",
      "The server probably ran out of memory (Linux then kills it with signal 9). Use fewer " +
        "workers, an --ec2-type with more memory, or a larger --memory-size-in-mb.",
    ),
    source:
      "https://github.com/mozilla/bugbug/issues/3906; `docker run --memory`, exit status 137; " +
      "https://github.com/aws/amazon-sagemaker-examples/issues/3148",
  },
  {
    name: "archive",
    kinds: SERVERS,
    reason: /Failed to extract model data archive/i,
    words: "SageMaker cannot unpack the model archive: it is not a tar.gz file, or it contains " +
      "links. To have mlcli pack a directory, run mlcli deploy --model DIR.",
    source: "https://github.com/aws/deep-learning-containers/pull/569, " +
      "https://github.com/mantiumai/aws-sagemaker-gptj-deepspeed-blog/pull/5",
  },
  {
    name: "data",
    kinds: SERVERS,
    reason: /Failed to download model data|Could not (access|find) model data|NoSuch(Bucket|Key)/i,
    words:
      "SageMaker cannot download the model archive: it no longer exists, is in another region, " +
      "or the execution role lacks permission (s3:GetObject, and the use of its KMS key)",
    source: "https://github.com/mlflow/mlflow/issues/2573, " +
      "https://github.com/aws-solutions-library-samples/fraud-detection-using-machine-learning/issues/9",
  },
  {
    name: "data",
    kinds: JOBS,
    reason: /No S3 objects found|NoSuchBucket|NoSuchKey|illegal char sub-sequence/,
    words:
      "The job's input does not exist in S3. Upload it with mlcli upload-data, which prints its S3 " +
      "URI. It must be in the job's region, and its key must not contain //.",
    source: "https://github.com/aws-samples/generative-ai-on-amazon-sagemaker/pull/242",
  },
  {
    name: "permission",
    reason: /Access ?Denied|is not authorized to perform|\b403\b.{0,300}Forbidden/,
    words: "The execution role lacks a permission. Add it (data: s3:GetObject and s3:ListBucket, " +
      "results: s3:PutObject), and check the bucket's policy and KMS key.",
    source: "https://github.com/aws/amazon-sagemaker-examples/issues/4384",
  },
  {
    name: "time limit",
    kinds: JOBS,
    reason: /Max(Runtime|WaitTime)(InSeconds|Exceeded)/,
    words: "The job exceeded its time limit. Raise it with --max-run or, for spot, --max-wait.",
    source: "API reference, SecondaryStatusTransition: MaxRuntimeExceeded, MaxWaitTimeExceeded",
  },
  {
    name: "platform",
    reason: /InternalServerError|InternalFailure|internal error|Request to service failed/,
    words:
      "SageMaker had an internal error. Try again. If it fails each time, memory or disk might have " +
      "run out: try a larger --ec2-type, or contact AWS Support.",
    source: "https://github.com/aws/sagemaker-python-sdk/issues/70, " +
      "https://github.com/aws/sagemaker-python-sdk/issues/2496, " +
      "https://github.com/aws-samples/amazon-sagemaker-custom-container/issues/3",
  },
  {
    name: "crash",
    reason: /exit code:? (13[2-9]|1[45]\d)\b/i,
    words: (failure) =>
      "The program crashed (exit code 139: segmentation fault, 132: unknown processor " +
      "instruction). Often, a library was built for another processor. To reproduce it locally, " +
      `run ${localRun(failure)}.`,
    source: "https://github.com/aws/sagemaker-python-sdk/issues/134, " +
      "https://github.com/aws/amazon-sagemaker-examples/issues/842",
  },
  {
    name: "module",
    reason: MISSING_MODULE,
    error: MISSING_MODULE,
    words: ({ reason, log }) => {
      const line = [...explainingLines(log), reason].find((line) => MISSING_MODULE.test(line)) ??
        "";
      const module = missingModule(line) ?? "";
      return missingModuleHint(
        { module, names: [], own: `common/${module}.py` },
        (name, isPart) => {
          const older = LAST_VERSIONS.get(module);
          const change = older !== undefined
            ? `The image has no module ${module}. Add ${older} to the requirements`
            : isPart
            ? `Package ${name} in the image has no module ${module}. Pin another version in the requirements`
            : `The image has no package ${name}. Add it to the requirements`;
          return `${change}, then run mlcli build and mlcli push.`;
        },
      );
    },
    source: "https://github.com/python/cpython, Lib/importlib/_bootstrap.py: _ERR_MSG_PREFIX",
  },
  {
    name: "read-only",
    kinds: JOBS,
    reason: READ_ONLY,
    error: errorOf(READ_ONLY),
    words: ({ kind }) =>
      `The input is read-only; use --copy-inputs for a writable copy, as on SageMaker. Write ${
        kind === "train"
          ? `the model to model_save_path (${PATHS.model}) and other results to ` +
            `SM_OUTPUT_DATA_DIR (${PATHS.outputData})`
          : `results to ${PATHS.processingOutput}`
      }. ${NOT_KEPT}`,
    source: "runtime/local/plan.ts; https://github.com/yzhao062/SUOD/issues/15",
  },
  {
    name: "read-only",
    kinds: SERVERS,
    reason: READ_ONLY_SERVER,
    error: errorOf(READ_ONLY_SERVER),
    words: `A server's code and model are read-only, locally and on SageMaker. ${NOT_KEPT}`,
    source: "https://github.com/aws/sagemaker-python-sdk/issues/5698",
  },
  {
    name: "local host",
    reason: NO_LOCAL_HOST,
    error: NO_LOCAL_HOST,
    words:
      "Only local containers can resolve host.docker.internal. Use an address that SageMaker can " +
      "reach.",
    source: "https://github.com/aws-samples/amazon-sagemaker-local-mode/issues/23",
  },
  {
    name: "code",
    reason:
      /^AlgorithmError\b(?!.*respond to ping)|ExecuteUserScriptError|Traceback \(most recent call last\)/,
    log: /^([\w./-]+: )?Traceback \(most recent call last\)/,
    words: (failure) =>
      `The code itself failed. To reproduce it locally, run ${localRun(failure)}.`,
    source: "https://github.com/aws/sagemaker-python-sdk/issues/1225",
  },
  {
    name: "ping",
    kinds: SERVERS,
    // The second: of transforms, issue 852 of aws/amazon-sagemaker-examples.
    reason: /did not pass the ping health check|failed to respond to ping/i,
    words: (failure) =>
      "GET /ping on port 8080 did not return 200 in time. The server exited, does not listen on " +
      "0.0.0.0:8080, returned another status, or needs more time to load its model" +
      `${failure.kind === "serve" ? " (--health-check-timeout)" : ""}. ` +
      `To test it locally, run ${localRun(failure)} --strict.`,
    source: "https://github.com/aws/sagemaker-python-sdk/issues/1554, " +
      "https://github.com/aws/sagemaker-python-sdk/issues/3987",
  },
];

/** The likely cause of a failure; `undefined` where no row matches. */
export function likelyCause(failure: Failure): Cause | undefined {
  const { reason: text, log: lines, kind } = failure;
  const explaining = explainingLines(lines);
  const row = CAUSES.find(({ kinds, reason, log, error }) =>
    (kinds?.includes(kind) ?? true) &&
    (reason?.test(text) || log && lines.some((line) => log.test(line)) ||
      error && explaining.some((line) => error.test(line)))
  );
  if (!row) return undefined;
  const { name, words } = row;
  return { name, words: typeof words === "string" ? words : words(failure) };
}

/** The cause's words where the code wrote to what is read-only; `undefined` for other failures. */
export function readOnlyHint(failure: Failure): string | undefined {
  const cause = likelyCause(failure);
  return cause?.name === "read-only" ? cause.words : undefined;
}
