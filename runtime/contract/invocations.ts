/**
 * A request to a model: the type of its body where the user names none, and the headers that
 * InvokeEndpoint passes on or obeys. Their names, lengths and patterns: botocore 1.44.5,
 * `data/sagemaker-runtime/2017-05-13/`.
 */

import { UsageError } from "../errors.ts";
import { lengthOf } from "./limits.ts";

/** By a file name's extension. Types as SageMaker's own containers name them. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  csv: "text/csv",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  jsonl: "application/jsonlines",
  libsvm: "text/libsvm",
  ndjson: "application/jsonlines",
  npy: "application/x-npy",
  npz: "application/x-npz",
  parquet: "application/x-parquet",
  png: "image/png",
  recordio: "application/x-recordio-protobuf",
  tsv: "text/tab-separated-values",
  txt: "text/plain",
  wav: "audio/wav",
};

const UNKNOWN = "application/octet-stream";

export function typeOfFile(name: string): string {
  const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension]! : UNKNOWN;
}

/** The type of what a file holds once it is unpacked: `a.csv.gz` is CSV. */
export function typeOfData(name: string): string {
  return typeOfFile(name.replace(/\.gz$/, ""));
}

/** What each .npy file begins with: numpy.lib.format, `MAGIC_PREFIX`. */
const NUMPY = [0x93, ...new TextEncoder().encode("NUMPY")];

/**
 * The content type of a body without a name, by how it begins: JSON is an object or an array, NumPy
 * has its mark, any other text counts as CSV, since that is what people pipe into a model.
 */
export function typeOfBytes(start: Uint8Array): string {
  if (NUMPY.every((byte, index) => start[index] === byte)) return "application/x-npy";
  let text: string;
  try {
    // As a stream: the last character may have been cut in two.
    text = new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
  } catch {
    return UNKNOWN;
  }
  if (text.includes("\0")) return UNKNOWN;
  return /^\s*[[{]/.test(text) ? "application/json" : "text/csv";
}

/** How many bytes of a body are looked at to guess its type. */
export const SNIFFED_LENGTH = 65_536;

/** Whether its first line has words and no number, and another line has a number. */
export function seemsToHaveHeading(start: Uint8Array): boolean {
  const text = new TextDecoder().decode(start.subarray(0, SNIFFED_LENGTH));
  const [heading = [], ...rows] = text.split(/\r?\n/).map((line) => line.split(","));
  return /\p{L}/u.test(heading.join()) && !hasNumber(heading) && rows.some(hasNumber);
}

function hasNumber(fields: readonly string[]): boolean {
  const texts = fields.map((field) => field.replace(/^\s*"(.*)"\s*$/, "$1").trim());
  return texts.some((text) => text !== "" && !Number.isNaN(Number(text)));
}

interface Form {
  /** Its name after `X-Amzn-SageMaker-`. */
  readonly header: string;
  readonly most: number;
  readonly pattern: RegExp;
  /** Whether InvokeEndpointWithResponseStream takes it, too. */
  readonly isStreamed: boolean;
}

const NAME = /^[a-zA-Z0-9](-*[a-zA-Z0-9])*$/;

/** `\A\S[\p{Print}]*\z`; a header is ASCII. */
const VISIBLE = /^[!-~][ -~]*$/;

const form = (header: string, most: number, pattern: RegExp, isStreamed = true): Form => (
  { header, most, pattern, isStreamed }
);

const FORMS = {
  // "visible US-ASCII characters"; `\p{ASCII}*` would be more than a header can hold.
  CustomAttributes: form("Custom-Attributes", 1_024, VISIBLE),
  EnableExplanations: form("Enable-Explanations", 64, VISIBLE, false),
  InferenceComponentName: form("Inference-Component", 63, NAME),
  InferenceId: form("Inference-Id", 64, VISIBLE),
  PrefixAwareId: form("Prefix-Aware-Id", 64, VISIBLE),
  SessionId: form("Session-Id", 256, /^(NEW_SESSION|[a-zA-Z0-9](-*[a-zA-Z0-9])*)$/),
  TargetContainerHostname: form("Target-Container-Hostname", 63, NAME),
  TargetModel: form("Target-Model", 1_024, VISIBLE, false),
  TargetVariant: form("Target-Variant", 63, NAME),
} as const;

/** The members of InvokeEndpoint's request that become such a header. */
export type InvocationField = keyof typeof FORMS;

export type InvocationFields = Readonly<Partial<Record<InvocationField, string>>>;

export interface RequestHeader {
  readonly name: string;
  readonly value: string;
  /** `undefined`: SageMaker does not pass the header on. */
  readonly field: InvocationField | undefined;
}

const PREFIX = "X-Amzn-SageMaker-";

/** All names, without the prefix. */
export const INVOCATION_HEADERS: readonly string[] = Object.values(FORMS).map(({ header }) =>
  header
);

/** @param name with the prefix, or without. */
export function fieldOfHeader(name: string): InvocationField | undefined {
  const lower = name.toLowerCase();
  const short = lower.startsWith(PREFIX.toLowerCase()) ? lower.slice(PREFIX.length) : lower;
  return fields().find((field) => FORMS[field].header.toLowerCase() === short);
}

/** `X-Amzn-SageMaker-Target-Variant` */
export function headerOf(field: InvocationField): string {
  return `${PREFIX}${FORMS[field].header}`;
}

export function isHeaderValue(field: InvocationField, value: string): boolean {
  const { most, pattern } = FORMS[field];
  return lengthOf(value) <= most && pattern.test(value);
}

/** The rule for a header's value, as a hint; `undefined`: for a header that is not passed on. */
export function valuesOf(field: InvocationField | undefined): string {
  if (field === undefined) return "Use at least 1 ASCII character, without line breaks";
  const { most, pattern } = FORMS[field];
  if (pattern === VISIBLE) return `Use 1 to ${most} ASCII characters, without line breaks`;
  const name = `1 to ${most} letters, digits and hyphens, without a hyphen at the start or end`;
  return field === "SessionId" ? `Use NEW_SESSION, or ${name}` : `Use ${name}`;
}

/** @throws UsageError where a header cannot stand in a request for a stream. */
export function requireStreamed(given: InvocationFields): void {
  const first = fields().find((field) => given[field] !== undefined && !FORMS[field].isStreamed);
  if (first === undefined) return;
  throw new UsageError(`The header ${headerOf(first)} cannot be used together with --stream`, {
    hint: "Omit --stream or the header: SageMaker does not support both",
  });
}

function fields(): readonly InvocationField[] {
  return Object.keys(FORMS) as InvocationField[];
}
