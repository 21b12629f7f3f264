/** Where the AWS console shows a job or an endpoint. */

/**
 * The console's host in each partition; others have none that is public.
 *
 * Sources: https://docs.aws.amazon.com/AmazonECS/latest/developerguide/retrieve-ecs-optimized_AMI.html
 * links to consoles of aws and aws-us-gov in this form, and
 * https://docs.aws.amazon.com/govcloud-us/latest/UserGuide/configure-account.html to the latter;
 * https://docs.amazonaws.cn names console.amazonaws.cn, which takes a region as that of aws does.
 */
const HOSTS = {
  "aws": (region: string) => `${region}.console.aws.amazon.com`,
  "aws-cn": (region: string) => `${region}.console.amazonaws.cn`,
  "aws-us-gov": () => "console.amazonaws-us-gov.com",
};

/** The console's pages, by what the ARN calls the thing. */
const PAGES = {
  "training-job": "jobs",
  "processing-job": "processing-jobs",
  "transform-job": "transform-jobs",
  "endpoint": "endpoints",
  "model": "models",
};

/**
 * API reference, `TrainingJobArn`, `ProcessingJobArn`, `TransformJobArn`, `EndpointArn`, with the names'
 * own pattern.
 */
const ARN =
  /^arn:(aws|aws-cn|aws-us-gov):sagemaker:([a-z]{2,4}(?:-[a-z]+)+-\d{1,2}):\d{12}:(training-job|processing-job|transform-job|endpoint)\/([A-Za-z\d](?:-*[A-Za-z\d]){0,62})$/;

/**
 * The address of a job's or an endpoint's page in the console; `undefined` where the ARN is not one of
 * these, or of a partition without a public console.
 *
 * @param name as it was given: in an ARN it has small letters.
 */
export function consoleAddress(arn: string | undefined, name: string): string | undefined {
  const [, partition, region = "", type, inArn] = ARN.exec(arn ?? "") ?? [];
  if (inArn?.toLowerCase() !== name.toLowerCase()) return undefined;
  const host = HOSTS[partition as keyof typeof HOSTS](region);
  const page = PAGES[type as keyof typeof PAGES];
  return `https://${host}/sagemaker/home?region=${region}#/${page}/${name}`;
}

/** What a thing on SageMaker is called in ARNs, of the kinds that an app can be made of. */
const RESOURCE_KINDS = ["training-job", "processing-job", "endpoint", "model"] as const;

/** A thing on SageMaker, as it was named. */
export interface Resource {
  readonly kind: typeof RESOURCE_KINDS[number];
  readonly name: string;
  /** `undefined`: not said. */
  readonly region: string | undefined;
}

const RESOURCE = new RegExp(
  `^(?:arn:aws[a-z-]*:sagemaker:([a-z\\d-]+):\\d{12}:)?(${
    RESOURCE_KINDS.join("|")
  })/([\\w-]{1,63})$`,
);

const ADDRESS =
  /^https:\/\/[a-z\d.-]*console\.[a-z.-]+\/sagemaker\/home\?(?:.*&)?region=([a-z\d-]+)[^#]*#\/([a-z-]+)\/(?:[a-z-]+\/)?([\w-]{1,63})(?:[/?].*)?$/;

/**
 * What a text names: `training-job/NAME`, its ARN, or its address in the console.
 * `undefined`: nothing of the kind.
 */
export function resourceIn(text: string): Resource | undefined {
  const [, region, kind, name] = RESOURCE.exec(text) ?? [];
  if (name !== undefined) return { kind: kind as Resource["kind"], name, region };
  const [, there, page, shown] = ADDRESS.exec(text) ?? [];
  const found = RESOURCE_KINDS.find((one) => PAGES[one] === page);
  return found && { kind: found, name: shown!, region: there };
}
