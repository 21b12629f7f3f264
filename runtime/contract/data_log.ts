/**
 * The log that a transform job keeps of its data, in which alone stands why it failed. Its lines: issues 898
 * and 1620 of aws/amazon-sagemaker-examples; other words: issues 753 and 1951 of
 * aws/sagemaker-python-sdk, and 93 of aws/sagemaker-tensorflow-serving-container.
 */

import { fit } from "../cells.ts";
import { inOneLine } from "../text.ts";
import { type S3Address, s3Uri } from "./addresses.ts";

/** An object that has no output. */
export interface FailedObject {
  /** `s3://data/batch/a.csv: HTTP 400: no such column` */
  readonly words: string;
  readonly hint: string | undefined;
}

/** How much of what a server answered is shown, in columns. */
const BODY = 200;

/**
 * Finds the objects that failed, each once.
 *
 * @param lines of the log: `[TIME:[sagemaker logs]: ]BUCKET/KEY: WORDS`.
 * @param input where the job's data lies.
 */
export function failedObjects(
  lines: readonly string[],
  { bucket }: Pick<S3Address, "bucket">,
): readonly FailedObject[] {
  const told = new Map<string, string[]>();
  for (const line of lines) {
    const text = line.replace(/^\S+:\[sagemaker logs\]: /, "");
    if (!text.startsWith(`${bucket}/`)) continue;
    const end = text.search(/:( |$)/);
    if (end < 0) continue;
    const key = text.slice(bucket.length + 1, end);
    const words = text.slice(end + 1).trim();
    if (words === "") continue;
    const all = told.get(key) ?? [];
    told.set(key, all);
    all.push(words);
  }
  return [...told].map(([key, said]) => failedObject(s3Uri({ bucket, key }), said));
}

function failedObject(uri: string, [first = "", ...rest]: readonly string[]): FailedObject {
  const [, status] = /^(?:ClientError|AlgorithmError): (\d{3})$/.exec(first) ??
    /received from algorithm: (\d{3})/.exec(first) ?? [];
  const what = status === undefined ? first : `HTTP ${status}`;
  const body = rest.filter((line) => line !== "Message:").join(" ");
  const text = /^\s*<(!doctype|html)/i.test(body) ? body.replace(/<[^<>]*>/g, " ") : body;
  const shown = fit(inOneLine(text).replace(/\s+/g, " ").trim(), BODY);
  const hint = HINTS.find(([pattern]) => pattern.test(`${status ?? ""} ${first} ${body}`))?.[1];
  return { words: `${inOneLine(uri)}: ${inOneLine(what)}${shown ? `: ${shown}` : ""}`, hint };
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^413\b/, "The server rejects requests of this size. Send smaller ones: --max-payload 1."],
  [/^415\b/, "The server does not support this content type. Set another --content-type."],
  [
    /^4\d\d\b/,
    "To find the failing record, send the data to a local server with mlcli local transform",
  ],
  [
    /Unable to get response|did not respond/i,
    "The server crashed or took too long. Try a longer --invocation-timeout, a smaller " +
    "--max-payload, or an --ec2-type with more memory.",
  ],
  [
    /Failed to parse (input|output)/i,
    "Filters and joins require data and responses in the format of --content-type, one record " +
    "per line. To see the responses, run mlcli local transform.",
  ],
  [
    /payload|too large|exceed/i,
    "A record exceeds the request size limit. Raise the limit with --max-payload (up to 100 MB).",
  ],
  [/^5\d\d\b/, "See the container's log. To reproduce the error, run mlcli local transform."],
];
