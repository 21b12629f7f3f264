/**
 * What SageMaker checks before it takes a job, beyond the shape of the request: quota, roles, image,
 * data. In its own words, most of which are from issues of its users.
 */

import { type AccessKey, ACCOUNT, REGION } from "../account.ts";
import type { EcrService } from "../ecr.ts";
import { isList, MANIFEST_TYPES, type StoredImage } from "../ecr_store.ts";
import { Refused, Unexpected } from "../service.ts";
import type { JobKind } from "./job.ts";
import { type JobPlatform, parseS3Uri } from "./platform.ts";

// deno-lint-ignore no-explicit-any
type Request = Readonly<Record<string, any>>;

/** Transforms have a check of their own. */
type OtherKind = Exclude<JobKind, "transform">;

/** What there is to check a job against. */
export interface Surroundings {
  readonly services: JobPlatform;
  /** Roles that trust SageMaker. */
  readonly roles: ReadonlySet<string>;
  /** Who asks. */
  readonly key: AccessKey;
}

/** 28 days, in seconds: the longest run of a training. */
const LONGEST_TRAINING = 2_419_200;

/**
 * Checks what is asked for.
 * @throws Refused
 */
export function checkJob(kind: OtherKind, request: Request, around: Surroundings): void {
  checkKnown(request);
  if (kind === "training") checkTraining(request);
  else checkProcessing(request);
  const resources = request.ResourceConfig ?? request.ProcessingResources.ClusterConfig;
  const what = request.EnableManagedSpotTraining === true ? "spot training" : kind;
  checkQuota(what, resources.InstanceGroups ?? [resources], around);
  checkRole(request.RoleArn, around);
  const image = kind === "training"
    ? request.AlgorithmSpecification.TrainingImage
    : request.AppSpecification.ImageUri;
  findImage(image, around);
  for (const uri of inputUris(kind, request)) checkData(uri, request.RoleArn, around);
}

/**
 * The image of a job; what it is not there, or not in Docker's format, no job runs.
 * @throws Refused
 */
export function findImage(
  reference: string,
  { services: { ecr } }: Pick<Surroundings, "services">,
): { readonly repository: string; readonly image: StoredImage } {
  const { repository, account, found, wanted } = whereIs(reference, ecr);
  if (!found) {
    throw invalid(
      `Cannot find repository: ${repository} in registry ID: ${account} Please check if your ECR ` +
        "repository exists and role has proper pull permissions for SageMaker: " +
        "ecr:BatchCheckLayerAvailability, ecr:BatchGetImage, ecr:GetDownloadUrlForLayer",
    );
  }
  const image = ecr.store.find(found, wanted);
  if (!image) throw invalid(`Requested image ${reference} not found.`);
  const { mediaType } = image;
  if (isList(mediaType) || mediaType === MANIFEST_TYPES.oci) {
    throw invalid(`Unsupported manifest media type ${mediaType}`);
  }
  return { repository: found.name, image };
}

/** The repository of an image, of whatever account, and the tag or digest that is wanted of it. */
export function whereIs(reference: string, ecr: EcrService): {
  readonly host: string;
  readonly repository: string;
  readonly account: string | undefined;
  readonly found: ReturnType<EcrService["store"]["of"]>;
  readonly wanted: string;
} {
  const { host, repository, wanted } = parseImage(reference);
  const account = host === ecr.front.host ? ACCOUNT : accountIn(host);
  const found = account === undefined ? undefined : ecr.store.of(account, repository);
  return { host, repository, account, found, wanted };
}

/** The account of one of ECR's hosts in this region: an image of another region, no job takes. */
function accountIn(host: string): string | undefined {
  const [, account, region] = /^(\d{12})\.dkr\.ecr\.([\w-]+)\.amazonaws\.com$/.exec(host) ?? [];
  return region === REGION ? account : undefined;
}

/** Members, with values that SageMaker has and the box has not. */
type NotThere = Readonly<Record<string, readonly string[]>>;

const NOT_THERE: NotThere = {
  S3DataType: ["ManifestFile", "AugmentedManifestFile"],
  TrainingInputMode: ["Pipe"],
  InputMode: ["Pipe"],
  S3InputMode: ["Pipe"],
  CompressionType: ["Gzip", "NONE"],
  S3CompressionType: ["Gzip"],
  RecordWrapperType: ["RecordIO"],
};

/** @throws Unexpected, since a job would go on without it and nobody would notice. */
export function checkKnown(value: unknown, notThere = NOT_THERE): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (notThere[name]?.includes(member)) {
      throw new Unexpected(`The box has no ${name} ${member}`);
    }
    // Free texts of the user.
    if (name !== "Environment" && name !== "HyperParameters") checkKnown(member, notThere);
  }
}

/** The box's own words: the service model says nothing of it. */
function checkMachines({ InstanceType, InstanceCount, InstanceGroups = [] }: Request): void {
  const names: string[] = InstanceGroups.map((group: Request) => group.InstanceGroupName);
  const hasGroups = names.length > 0;
  if (hasGroups !== (InstanceType === undefined) || hasGroups !== (InstanceCount === undefined)) {
    throw invalid("Either InstanceType and InstanceCount are required, or InstanceGroups");
  }
  if (new Set(names).size < names.length) {
    throw invalid(`Duplicate instance group names: [${names.join(", ")}]`);
  }
}

function checkTraining(request: Request): void {
  checkMachines(request.ResourceConfig);
  const { MaxRuntimeInSeconds = 86_400, MaxWaitTimeInSeconds } = request.StoppingCondition;
  if (MaxRuntimeInSeconds > LONGEST_TRAINING) {
    throw invalid(
      `Invalid MaxRuntimeInSeconds. It must be less than or equal to ${LONGEST_TRAINING}.`,
    );
  }
  const isSpot = request.EnableManagedSpotTraining === true;
  if (isSpot && !(MaxWaitTimeInSeconds >= MaxRuntimeInSeconds)) {
    throw invalid(
      "Invalid MaxWaitTimeInSeconds. It must be present and be greater than or equal to " +
        "MaxRuntimeInSeconds",
    );
  }
  if (!isSpot && MaxWaitTimeInSeconds !== undefined) {
    throw invalid(
      "MaxWaitTimeInSeconds is only supported when EnableManagedSpotTraining is set to true",
    );
  }
  const names: string[] = (request.InputDataConfig ?? []).map((one: Request) => one.ChannelName);
  if (new Set(names).size < names.length) {
    throw invalid(`Duplicate channel names: [${names.join(", ")}]`);
  }
}

/** Guide, "Build Your Own Processing Container": local paths begin with /opt/ml/processing/. */
function checkProcessing(request: Request): void {
  const inputs: Request[] = request.ProcessingInputs ?? [];
  const outputs: Request[] = request.ProcessingOutputConfig?.Outputs ?? [];
  for (
    const names of [
      inputs.map(({ InputName }) => InputName),
      outputs.map(({ OutputName }) => OutputName),
    ]
  ) {
    if (new Set(names).size < names.length) throw invalid(`Duplicate names: [${names.join(", ")}]`);
  }
  const paths: string[] = [
    ...inputs.map(({ S3Input }) => S3Input?.LocalPath),
    ...outputs.map(({ S3Output }) => S3Output?.LocalPath),
  ].filter((path) => path !== undefined);
  const wrong = paths.find((path) => !/^\/opt\/ml\/processing\/[^/]/.test(path));
  if (wrong !== undefined) throw invalid(`LocalPath must begin with /opt/ml/processing/: ${wrong}`);
  if (new Set(paths).size < paths.length) {
    throw invalid(`LocalPath must be unique: [${paths.join(", ")}]`);
  }
}

/** Instances of one job: the box makes a container for each. */
const MOST_INSTANCES = 20;

/**
 * @param what kind of a job, as the quota has it.
 * @param machines with their types and numbers.
 * @throws Refused
 */
export function checkQuota(
  what: string,
  machines: readonly Request[],
  { services: { platform: { faults } } }: Pick<Surroundings, "services">,
): void {
  for (const { InstanceType, InstanceCount } of machines) {
    if (!faults.quotas.has(InstanceType)) continue;
    throw limitExceeded(`${InstanceType} for ${what} job usage`, InstanceCount);
  }
  const all = machines.reduce((sum, { InstanceCount }) => sum + InstanceCount, 0);
  if (all <= MOST_INSTANCES) return;
  throw limitExceeded(`Number of instances for a ${what} job`, all, MOST_INSTANCES);
}

/** The words for a quota of the account that leaves no room for what is wanted. */
export function limitExceeded(name: string, wanted: number, limit = 0): Refused {
  return new Refused(
    "ResourceLimitExceeded",
    `The account-level service limit '${name}' is ${limit} Instances, with current utilization of 0 ` +
      `Instances and a request delta of ${wanted} Instances. Please use AWS Service Quotas to ` +
      "request an increase for this quota. If AWS Service Quotas is not available, contact AWS " +
      "support to request an increase for this quota.",
  );
}

/**
 * Whether who asks may hand the role on, and whether it trusts SageMaker.
 * @throws Refused
 */
export function checkRole(
  role: string | undefined,
  { services: { platform: { faults } }, key, roles }: Surroundings,
): void {
  if (role === undefined) return;
  const denial = faults.denial({ action: "iam:PassRole", resource: role }, key);
  if (denial) throw new Refused("AccessDeniedException", denial.message);
  if (roles.has(role)) return;
  throw invalid(
    "Could not assume role " + role + ". Please ensure that the role exists and allows principal " +
      "'sagemaker.amazonaws.com' to assume the role.",
  );
}

/**
 * Whether there is an object that begins with the address.
 * @throws Refused
 */
export function checkData(
  uri: string,
  role: string,
  { services: { s3 } }: Pick<Surroundings, "services">,
): void {
  const { bucket, key } = parseS3Uri(uri);
  const isThere = s3.buckets.get(bucket)?.region === REGION && s3.keys(bucket, key).length > 0;
  if (isThere) return;
  throw invalid(
    `No S3 objects found under S3 URL "${uri}" given in input data source. Please ensure that ` +
      `the bucket exists in the selected region (${REGION}), that objects exist under that S3 ` +
      `prefix, and that the role "${role}" has "s3:ListBucket" permissions on bucket "${bucket}".`,
  );
}

function inputUris(kind: OtherKind, request: Request): readonly string[] {
  if (kind === "training") {
    return (request.InputDataConfig ?? []).flatMap(({ DataSource }: Request) =>
      DataSource.S3DataSource?.S3Uri ?? []
    );
  }
  return (request.ProcessingInputs ?? []).flatMap(({ S3Input }: Request) => S3Input?.S3Uri ?? []);
}

/** `localhost:5000/team/app@sha256:...` or `...:tag`. */
function parseImage(
  reference: string,
): { readonly host: string; readonly repository: string; readonly wanted: string } {
  const slash = reference.indexOf("/");
  const host = reference.slice(0, slash);
  const rest = reference.slice(slash + 1);
  const [name = "", digest] = rest.split("@");
  const [repository = "", tag = "latest"] = name.split(":");
  return { host, repository, wanted: digest ?? tag };
}

/** A refusal with the code that SageMaker has for most. */
export function invalid(message: string): Refused {
  return new Refused("ValidationException", message);
}
