import { isJunk } from "../../app/junk.ts";
import type { Aws } from "../../aws/aws.ts";
import { ifAllowed } from "../../aws/errors.ts";
import type { S3, StoredObject } from "../../aws/s3.ts";
import { type S3Address, s3Uri } from "../../contract/addresses.ts";
import { typeOfData } from "../../contract/invocations.ts";
import { TRANSFORM } from "../../contract/limits.ts";
import { limitsOf, type Transform, transformOf } from "../../contract/transform.ts";
import { batchesOf, type OddLines } from "../../contract/transform_records.ts";
import {
  dataDifferences,
  type DataShape,
  firstOf,
  lineDifferences,
} from "../../contract/transform_warnings.ts";
import { UsageError } from "../../errors.ts";
import { type Message, warning } from "../../messages.ts";
import { inOneLine } from "../../text.ts";
import type { Note } from "../in_parallel.ts";
import { checkInput, checkPlace, dataAddress, idleHosts, isData } from "../preflight/data.ts";
import type { Place } from "../bucket_owner.ts";
import type { TransformRequest } from "./plan.ts";

/**
 * Checks the input and the output of a transform job, and completes the request from the data.
 *
 * @param note receives the checks that were impossible.
 * @throws UsageError if the content type is unknown; MlcliError if there is no data.
 */
export async function checkTransformData(
  request: TransformRequest & { readonly inputS3Location: S3Address },
  output: Place,
  aws: Pick<Aws, "s3" | "sts">,
  note: Note,
): Promise<{
  readonly input: S3Address;
  readonly transform: Transform;
  readonly warnings: readonly Message[];
}> {
  const s3 = await aws.s3();
  const input = await dataAddress(s3, request.inputS3Location);
  await checkInput(s3, input, note);
  await checkPlace(aws, output, note);
  const listed = await ifAllowed(s3.listObjects(input.bucket, input.key).next(), () => {});
  const objects: readonly StoredObject[] = listed?.value ?? [];
  const keys = objects.map(({ key }) => key);
  const first = objects.find(({ key }) => isData(key, input.key));
  const transform = transformOf(request, typeOf(first?.key ?? input.key, request));
  const { instanceCount } = request;
  const odd = first ? await oddLinesOf(s3, { ...first, bucket: input.bucket }, transform) : {};
  const about = { input, output: output.value, keys, instanceCount, transform, odd };
  return { input, transform, warnings: dataWarnings(about) };
}

/** @throws UsageError where neither an option nor its name says it. */
function typeOf(key: string, { contentType }: TransformRequest): string {
  const type = typeOfData(key);
  if (contentType !== undefined || type !== typeOfData("")) return type;
  throw new UsageError(
    'Missing required option "--content-type": the file name does not show the content type',
    { hint: "Set the content type, such as --content-type text/csv" },
  );
}

/** So much of the first object is looked at, in bytes. */
const LOOK = 64 * 1024;

async function oddLinesOf(
  s3: Pick<S3, "getBytes">,
  object: StoredObject & { readonly bucket: string },
  transform: Transform,
): Promise<OddLines> {
  const { split, compression } = transform;
  const odd: OddLines = {};
  if (split !== "line" || compression === "gzip" || object.size === 0) return odd;
  const size = Math.min(object.size, LOOK);
  const bytes = await ifAllowed(s3.getBytes(object, object.etag, 0, size - 1), () => {});
  if (bytes === undefined) return odd;
  // The last line may be cut.
  const lines = object.size > size ? bytes.subarray(0, bytes.lastIndexOf(10) + 1) : bytes;
  const limits = { strategy: "multi", maxPayload: 0 } as const;
  for await (const _ of batchesOf(ReadableStream.from([lines]), transform, limits, odd));
  return odd;
}

export interface TransformData {
  readonly input: S3Address;
  readonly output: S3Address;
  /** Of the first objects, in their order: a page. */
  readonly keys: readonly string[];
  readonly instanceCount: number;
  readonly transform: DataShape & Pick<Transform, "maxConcurrency" | "maxPayload">;
  /** In the first object of data. */
  readonly odd: OddLines;
}

/** Returns warnings about settings that are allowed but usually a mistake. */
export function dataWarnings(data: TransformData): readonly Message[] {
  const { input, output, instanceCount, transform, odd } = data;
  const keys = data.keys.filter((key) => isData(key, input.key));
  const junk = data.keys.filter((key) => key.slice(input.key.length).split("/").some(isJunk));
  const isOne = !input.key.endsWith("/") && input.key !== "";
  const sibling = isOne && keys.find((key) => key !== input.key);
  const named = (key: string): string => inOneLine(s3Uri({ bucket: input.bucket, key }));
  const { maxConcurrency = 0 } = transform;
  const { maxPayload } = limitsOf({ maxPayload: transform.maxPayload });
  return [
    output.bucket === input.bucket && `${output.key}/`.startsWith(input.key) && warning(
      `The outputs are written into the input location, so the next transform job for ` +
        `${s3Uri(input)} reads them as inputs`,
      "Use another output location: -o s3://BUCKET/PREFIX",
    ),
    sibling && warning(
      `SageMaker also reads ${named(sibling)}: its key starts with the input's key`,
      "Move this second object to another prefix",
    ),
    keys.length > 0 && keys.length < instanceCount && idleHosts(keys.length, instanceCount),
    maxPayload * maxConcurrency > TRANSFORM.payload && warning(
      `${maxConcurrency} concurrent requests of ${maxPayload} MB exceed SageMaker's limit of ` +
        `${TRANSFORM.payload} MB in total, unless the model's server sets a smaller payload`,
      `Use --max-payload ${Math.floor(TRANSFORM.payload / maxConcurrency) || 1} or less`,
    ),
    ...firstOf(
      junk.map(named),
      "looks like a system file or a notebook checkpoint, but is sent to the model as data",
      "Move such objects out of the input location, or delete them if you don't need them",
    ),
    ...dataDifferences(keys.map(named), transform),
    ...lineDifferences(keys.length > 0 ? [{ name: named(keys[0]!), odd }] : []),
  ].filter((one): one is Message => typeof one === "object");
}
