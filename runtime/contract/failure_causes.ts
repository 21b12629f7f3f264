/**
 * Why a job on SageMaker failed, in our words: what its reason, or the end of its log, most likely
 * means, and what to do. SageMaker has no codes for this, only words; each row has its source.
 *
 * @module
 */

/** What is known of a job that failed. */
export interface Failure {
  /** `FailureReason` */
  readonly reason: string;
  /** The last lines of its log, as far as they may be read. */
  readonly log: readonly string[];
  readonly kind: "train" | "process";
  readonly isSpot: boolean;
}

/** A cause, and what to do about it: sentences. */
export interface Cause {
  readonly name: CauseName;
  readonly words: string;
}

/** The causes that are told apart. */
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
  | "data"
  | "permission"
  | "time limit"
  | "platform"
  | "crash"
  | "code";

interface Row {
  readonly name: CauseName;
  /** Words of SageMaker's reason. */
  readonly reason?: RegExp;
  /** Words of a line of the log. */
  readonly log?: RegExp;
  readonly words: string | ((failure: Failure) => string);
  /** Where these words were seen. */
  readonly source: string;
}

const localRun = ({ kind }: Failure): string => `mlcli local ${kind}`;

/** The first row whose words are there counts: what is certain comes before what is likely. */
export const CAUSES: readonly Row[] = [
  {
    name: "capacity",
    reason: /CapacityError|Insufficient(Instance)?Capacity|Insufficient capacity/i,
    words: ({ isSpot }) =>
      isSpot
        ? "AWS has no spot machine of this type at the moment. Leave out --spot, take another " +
          "--ec2-type, or try again later."
        : "AWS has no machine of this type in the region at the moment. Try again later, or take " +
          "another --ec2-type or --region.",
    source: "https://github.com/DIAGNijmegen/rse-grand-challenge/issues/2631",
  },
  {
    name: "quota",
    reason: /ResourceLimitExceeded|service limit '/,
    words: "The account's quota for this type of instance is reached, or is 0 as in every new " +
      "account. Ask for more under Service Quotas in AWS's console, or take another --ec2-type.",
    source: "https://github.com/aws/amazon-sagemaker-examples/issues/307",
  },
  {
    name: "role",
    reason: /unable to (assume the role|perform: sts:AssumeRole)|Could not assume role/i,
    words: "SageMaker may not assume the execution role. Give the whole ARN with its path, and " +
      "have the role's trust policy name sagemaker.amazonaws.com.",
    source: "https://github.com/aws/sagemaker-python-sdk/issues/43, " +
      "https://github.com/astronomer/docs/pull/1695",
  },
  {
    name: "image",
    reason:
      /Cannot pull algorithm container|manifest unknown|Requested image .*not found|pull access denied|ecr:(BatchGetImage|GetDownloadUrlForLayer|BatchCheckLayerAvailability)/,
    words: "The image cannot be pulled: it is not there, not in the job's region, the execution " +
      "role may not pull it, or the volume is too small for it (--volume-size). mlcli push puts " +
      "it there; the role needs ecr:GetAuthorizationToken, BatchCheckLayerAvailability, " +
      "BatchGetImage and GetDownloadUrlForLayer.",
    source: "https://github.com/aws/sagemaker-python-sdk/issues/57, " +
      "https://github.com/aws-samples/amazon-sagemaker-tensorflow-object-detection-api/issues/14",
  },
  {
    name: "architecture",
    reason: /exec format error/,
    log: /exec format error/,
    words: "The image is for another processor than the instance's. Build it for linux/amd64 " +
      "(for Graviton types such as ml.c7g: linux/arm64), and push it again.",
    source: "https://github.com/aws/deep-learning-containers/issues/1157",
  },
  {
    name: "entry point",
    reason: /executable file not found in \$PATH/,
    log: /executable file not found in \$PATH/,
    words: (failure) =>
      "The image has no program for what SageMaker starts it with. An image that mlcli build " +
      `made from mlcli's template has one; ${localRun(failure)} --strict tries it here.`,
    source: "https://github.com/aws/amazon-sagemaker-examples/issues/739",
  },
  {
    name: "disk",
    reason: /Insufficient disk space|No space left on device/i,
    log: /No space left on device/,
    words: "The volume is full. --volume-size gives more GB; instance types with a disk of their " +
      "own have that one alone.",
    source: "https://github.com/aws/sagemaker-python-sdk/issues/128, " +
      "https://github.com/huggingface/blog/issues/114",
  },
  {
    name: "GPU memory",
    reason: /CUDA out of memory|OutOfMemoryError: CUDA|out_of_memory: CUDA/,
    log: /CUDA out of memory|OutOfMemoryError: CUDA|out_of_memory: CUDA/,
    words: "The memory of the GPU is full. Use smaller batches, or an --ec2-type whose GPUs have " +
      "more.",
    source: "https://github.com/rapidsai/deployment/issues/523",
  },
  {
    name: "memory",
    reason: /exit code:? 137\b|instance type with more memory|\bMemoryError\b|std::bad_alloc/i,
    log: /^(algo-\d+: )?MemoryError\b|Cannot allocate memory|std::bad_alloc|\bOOM ?killed/i,
    words: "It most likely ran out of memory (137 is SIGKILL, by which Linux ends what takes too " +
      "much). Use smaller batches or fewer workers, or an --ec2-type with more memory.",
    source: "https://github.com/mozilla/bugbug/issues/3906; `docker run --memory`, exit status 137",
  },
  {
    name: "data",
    reason: /No S3 objects found|NoSuchBucket|NoSuchKey|illegal char sub-sequence/,
    words: "The data is not where the job looks for it. mlcli upload-data puts it there and " +
      "prints the address; it has to be in the job's region, without // in it.",
    source: "https://github.com/aws-samples/generative-ai-on-amazon-sagemaker/pull/242",
  },
  {
    name: "permission",
    reason: /Access ?Denied|is not authorized to perform|\b403\b.*Forbidden/,
    words: "The execution role may not do that. Add the permission to the role (for data: " +
      "s3:GetObject and s3:ListBucket, for results: s3:PutObject), and look at the bucket's own " +
      "policy and key.",
    source: "https://github.com/aws/amazon-sagemaker-examples/issues/4384",
  },
  {
    name: "time limit",
    reason: /Max(Runtime|WaitTime)(InSeconds|Exceeded)/,
    words: "It took longer than its time limit. --max-run allows more.",
    source: "API reference, SecondaryStatusTransition: MaxRuntimeExceeded, MaxWaitTimeExceeded",
  },
  {
    name: "platform",
    reason: /InternalServerError|InternalFailure|internal error/,
    words: "SageMaker itself failed. Run it again; if that happens each time, memory or disk may " +
      "have run out unnoticed: try a larger --ec2-type, or ask AWS's support with the job's name.",
    source: "https://github.com/aws/sagemaker-python-sdk/issues/70, " +
      "https://github.com/aws/sagemaker-python-sdk/issues/2496",
  },
  {
    name: "crash",
    reason: /exit code:? (13[2-9]|1[45]\d)\b/i,
    words: (failure) =>
      "A signal ended the program (128 and its number; 139 is a segmentation fault, 132 an " +
      "instruction that this processor lacks): mostly a library that was built for another " +
      `machine. ${localRun(failure)} tries the same here.`,
    source: "https://github.com/aws/sagemaker-python-sdk/issues/134, " +
      "https://github.com/aws/amazon-sagemaker-examples/issues/842",
  },
  {
    name: "code",
    reason: /^AlgorithmError\b|ExecuteUserScriptError|Traceback \(most recent call last\)/,
    log: /^(algo-\d+: )?Traceback \(most recent call last\)/,
    words: (failure) =>
      "The code itself ended with this failure. " +
      `${localRun(failure)} runs the same code here, in seconds.`,
    source: "https://github.com/aws/sagemaker-python-sdk/issues/1225",
  },
];

/** The likely cause of a failure; `undefined` where nothing is known of such words. */
export function likelyCause(failure: Failure): Cause | undefined {
  const { reason: said, log: lines } = failure;
  const row = CAUSES.find(({ reason, log }) =>
    reason?.test(said) || (log && lines.some((line) => log.test(line)))
  );
  if (!row) return undefined;
  const { name, words } = row;
  return { name, words: typeof words === "string" ? words : words(failure) };
}
