import { type AwsError, isRefusal } from "../aws/errors.ts";
import { LABELS } from "../contract/images.ts";
import { TAGS } from "../contract/limits.ts";
import { VERSION } from "../version.ts";

/** The tag that names an image by its digest. */
const IMAGE_TAG = "mlcli.image";

/** The tags of what a job runs: a hash of the code, and the commit of its work tree. */
const CODE_TAG = "mlcli.code";
const COMMIT_TAG = "mlcli.commit";

/** The tag of an endpoint's parts: the endpoint's name. */
export const ENDPOINT_TAG = "mlcli.endpoint";

/** The tag of a model that was made for a job alone: the job's name. */
export const JOB_TAG = "mlcli.job";

export interface Tagged {
  /** The user's own. */
  readonly tags: Readonly<Record<string, string>>;
  readonly appName: string;
  /** `REPOSITORY@sha256:...` */
  readonly image?: string | undefined;
  /** Name of the endpoint that it belongs to, or is. */
  readonly endpoint?: string;
  /** Name of the job that it goes with. */
  readonly job?: string;
  /** The code that was sent. */
  readonly code?: { readonly hash: string; readonly commit: string | undefined } | undefined;
}

export interface Tag {
  readonly Key: string;
  readonly Value: string;
}

/** The user's own, and mlcli's as far as there is room; each key once, the user's first. */
export function tagsOf({ tags, appName, image, endpoint, job, code }: Tagged): Tag[] {
  const own = {
    [LABELS.app]: appName,
    [LABELS.version]: VERSION,
    ...endpoint === undefined ? {} : { [ENDPOINT_TAG]: endpoint },
    ...job === undefined ? {} : { [JOB_TAG]: job },
    ...image === undefined ? {} : { [IMAGE_TAG]: image.slice(image.indexOf("@") + 1) },
    ...code === undefined ? {} : { [CODE_TAG]: code.hash },
    ...code?.commit === undefined ? {} : { [COMMIT_TAG]: code.commit },
  };
  return tagList({ ...tags, ...own, ...tags }).slice(0, TAGS.most);
}

/** Whether a creation was refused for its tags, which take a permission of their own. */
function isAboutTags(error: unknown): error is AwsError {
  return isRefusal(error, "denied") && /\bAddTags\b/.test(error.message);
}

export function tagList(tags: Readonly<Record<string, string>>): Tag[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

/** Without mlcli's own tags, which are set anew, and AWS's, which cannot be set. */
export function usersTags(
  tags: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(tags).filter(([key]) => !key.startsWith("mlcli.") && !/^aws:/i.test(key)),
  );
}

/**
 * Creates what has tags; without mlcli's own where tags may not be set, unless the user asks for some.
 * @param note gets why.
 */
export async function createTagged<Input extends { Tags?: { Key?: string; Value?: string }[] }, T>(
  input: Input,
  tags: Readonly<Record<string, string>>,
  create: (input: Input) => Promise<T>,
  note: (reason: string) => void,
): Promise<T> {
  try {
    return await create(input);
  } catch (error) {
    if (!isAboutTags(error) || Object.keys(tags).length > 0) throw error;
    note(error.message);
    return await create(withTags(input, tags));
  }
}

/** The same call, with the user's own tags alone. */
export function withTags<Input extends { Tags?: { Key?: string; Value?: string }[] }>(
  input: Input,
  tags: Readonly<Record<string, string>>,
): Input {
  const { Tags: _, ...rest } = input;
  const Tags = tagList(tags);
  return { ...rest, ...Tags.length === 0 ? {} : { Tags } } as Input;
}
