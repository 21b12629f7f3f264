/**
 * The accounts in which AWS keeps its images, by region, as data.
 *
 * Source: sagemaker-core 2.27.0 of PyPI (built on 2026-10-21), `sagemaker/core/image_uri_config/`:
 * `pytorch.json` for the Deep Learning Containers, `sklearn.json` for scikit-learn and XGBoost, of each
 * the newest version that names a region.
 */

import { type Message, warning } from "../messages.ts";
import { ECR_PUBLIC, ecrHost, parseImageName } from "./registry.ts";

/** `REGION=ACCOUNT`, a word each. */
function accounts(words: string): Readonly<Record<string, string>> {
  return Object.fromEntries(words.trim().split(/\s+/).map((word) => word.split("=")));
}

/** Of pytorch-training, tensorflow-training, huggingface-*, and their like. */
const DEEP_LEARNING = accounts(`
  af-south-1=626614931356 ap-east-1=871362719292 ap-east-2=975050140332
  ap-northeast-1=763104351884 ap-northeast-2=763104351884 ap-northeast-3=364406365360
  ap-south-1=763104351884 ap-south-2=772153158452 ap-southeast-1=763104351884
  ap-southeast-2=763104351884 ap-southeast-3=907027046896 ap-southeast-4=457447274322
  ap-southeast-5=550225433462 ap-southeast-6=633930458069 ap-southeast-7=590183813437
  ca-central-1=763104351884 ca-west-1=204538143572 cn-north-1=727897471807
  cn-northwest-1=727897471807 eu-central-1=763104351884 eu-central-2=380420809688
  eu-isoe-west-1=371248457586 eu-north-1=763104351884 eu-south-1=692866216735
  eu-south-2=503227376785 eu-west-1=763104351884 eu-west-2=763104351884 eu-west-3=763104351884
  eusc-de-east-1=204133271717 il-central-1=780543022126 me-central-1=914824155844
  me-south-1=217643126080 me-west-1=124382933778 mx-central-1=637423239942
  sa-east-1=763104351884 us-east-1=763104351884 us-east-2=763104351884
  us-gov-east-1=446045086412 us-gov-west-1=442386744353 us-iso-east-1=886529160074
  us-isob-east-1=094389454867 us-isof-east-1=303241398832 us-isof-south-1=454834333376
  us-west-1=763104351884 us-west-2=763104351884`);

/** Of sagemaker-scikit-learn and sagemaker-xgboost. */
const CLASSIC = accounts(`
  af-south-1=510948584623 ap-east-1=651117190479 ap-northeast-1=354813040037
  ap-northeast-2=366743142698 ap-northeast-3=867004704886 ap-south-1=720646828776
  ap-south-2=628508329040 ap-southeast-1=121021644041 ap-southeast-2=783357654285
  ap-southeast-3=951798379941 ap-southeast-4=106583098589 ca-central-1=341280168497
  ca-west-1=190319476487 cn-north-1=450853457545 cn-northwest-1=451049120500
  eu-central-1=492215442770 eu-central-2=680994064768 eu-north-1=662702820516
  eu-south-1=978288397137 eu-south-2=104374241257 eu-west-1=141502667606 eu-west-2=764974769150
  eu-west-3=659782779980 il-central-1=898809789911 me-central-1=272398656194
  me-south-1=801668240914 sa-east-1=737474898029 us-east-1=683313688378 us-east-2=257758044811
  us-gov-east-1=237065988967 us-gov-west-1=414596584902 us-iso-east-1=833128469047
  us-isob-east-1=281123927165 us-isof-east-1=108575199400 us-isof-south-1=124985052026
  us-west-1=746614075791 us-west-2=246618743249`);

/** The regions of SageMaker. */
export const REGIONS: readonly string[] = Object.keys(DEEP_LEARNING);

/** Repositories in the accounts of the second table; all hold AWS's toolkit. */
const CLASSIC_REPOSITORIES: readonly string[] = ["sagemaker-scikit-learn", "sagemaker-xgboost"];

function accountsOf(repository: string): Readonly<Record<string, string>> {
  return CLASSIC_REPOSITORIES.includes(repository) ? CLASSIC : DEEP_LEARNING;
}

const ALL_ACCOUNTS: ReadonlySet<string> = new Set(
  [DEEP_LEARNING, CLASSIC].flatMap((table) => Object.values(table)),
);

/** Whether an account is one in which AWS keeps its images. */
export function isAwsAccount(account: string): boolean {
  return ALL_ACCOUNTS.has(account);
}

/** Whether an image is one of AWS's that hold its toolkit, by its name alone. */
export function holdsToolkitByName(image: string): boolean {
  const { host = "", name } = parseImageName(image);
  const account = ecrHost(host)?.account;
  return account !== undefined && isAwsAccount(account) && CLASSIC_REPOSITORIES.includes(name);
}

/** The alias of the Deep Learning Containers in ECR Public. */
const PUBLIC_ALIAS = "deep-learning-containers/";

/**
 * The name of an image of AWS's in a region, where it differs: `undefined` where it is none of AWS's,
 * AWS has none there that is known, or it is the one that was named.
 *
 * @param image `ACCOUNT.dkr.ecr.REGION.amazonaws.com/NAME:TAG`, or one in ECR Public.
 * @param region the one that is wanted; by default the one that the name says.
 */
export function awsImageIn(image: string, region?: string): string | undefined {
  const { host = "", name, rest } = parseImageName(image);
  const registry = ecrHost(host);
  const isPublic = host === ECR_PUBLIC && name.startsWith(PUBLIC_ALIAS);
  if (!isPublic && registry === undefined) return undefined;
  const repository = isPublic ? name.slice(PUBLIC_ALIAS.length) : name;
  const wanted = region ?? registry?.region;
  const isKnown = isPublic || isAwsAccount(registry!.account) ||
    AWS_REPOSITORY.test(repository);
  const account = wanted === undefined ? undefined : accountsOf(repository)[wanted];
  if (!isKnown || account === undefined || wanted === undefined) return undefined;
  const suffix = wanted.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const found = `${account}.dkr.ecr.${wanted}.${suffix}/${repository}${rest}`;
  return found === image ? undefined : found;
}

/** Names that only AWS's repositories have: whoever has the account wrong means these. */
const AWS_REPOSITORY =
  /^(pytorch|tensorflow|huggingface-(pytorch|tensorflow))-(training|inference)$|^sagemaker-(scikit-learn|xgboost)$/;

/** That an account of AWS's has no such images in its region, and which has. */
export function wrongAccount(image: string): Message | undefined {
  const { account, region } = ecrHost(parseImageName(image).host ?? "") ?? {};
  const right = awsImageIn(image);
  if (account === undefined || !isAwsAccount(account) || right === undefined) return undefined;
  const { name } = parseImageName(image);
  return warning(
    `AWS account ${account} does not provide ${name} in ${region}`,
    `Use ${right}`,
  );
}
