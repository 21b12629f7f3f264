/** What SageMaker checks before it takes a batch transform, beyond the shape of the request. */

import { arnOf } from "../../endpoints/resource.ts";
import { notFound } from "../../endpoints/words.ts";
import {
  checkData,
  checkKnown,
  checkQuota,
  findImage,
  invalid,
  type Surroundings,
} from "../checks.ts";

// deno-lint-ignore no-explicit-any
type Request = Readonly<Record<string, any>>;

/** Megabytes of a payload where the request says nothing, and at most. */
export const DEFAULT_PAYLOAD = 6;
const MOST_PAYLOAD = 100;

/** What mlcli's tests do not run on the box. */
const NOT_THERE = {
  S3DataType: ["ManifestFile"],
  SplitType: ["RecordIO", "TFRecord"],
};

/** The formats that have filters and joins. */
const FORMATS = ["text/csv", "application/json", "application/jsonlines"];

/**
 * Checks what is asked for.
 * @throws Refused
 */
export function checkTransform(request: Request, { services }: Surroundings): void {
  checkKnown(request, NOT_THERE);
  checkSizes(request);
  checkDataProcessing(request);
  checkQuota("transform", [request.TransformResources], { services });
  const model = services.models.get(request.ModelName);
  if (!model) throw notFound("model", request.ModelName);
  if (model.container.ModelDataSource) {
    // The words of an issue of the SDK's (4777).
    throw invalid(
      "SageMaker Batch currently doesn't support Model entity with container definitions which " +
        `use ModelDataSource attribute: ${arnOf("model", model.name)}`,
    );
  }
  findImage(model.container.Image, { services });
  const { S3Uri } = request.TransformInput.DataSource.S3DataSource;
  checkData(S3Uri, model.request.ExecutionRoleArn, { services });
}

function checkSizes(request: Request): void {
  const { MaxConcurrentTransforms, MaxPayloadInMB, BatchStrategy, TransformInput } = request;
  const payload = MaxPayloadInMB ?? DEFAULT_PAYLOAD;
  if (payload > MOST_PAYLOAD) {
    throw invalid(`MaxPayloadInMB must be less than or equal to ${MOST_PAYLOAD}.`);
  }
  if ((MaxConcurrentTransforms ?? 0) * payload > MOST_PAYLOAD) {
    throw invalid(
      "MaxConcurrentTransforms * MaxPayloadInMB must be less than or equal to " +
        `${MOST_PAYLOAD} MB.`,
    );
  }
  if (BatchStrategy !== undefined && (TransformInput.SplitType ?? "None") === "None") {
    throw invalid("BatchStrategy requires SplitType to be one of [Line, RecordIO, TFRecord].");
  }
}

/** Guide, "Associate Prediction Results with Input Records". */
function checkDataProcessing(request: Request): void {
  const { InputFilter = "$", OutputFilter = "$", JoinSource = "None" } = request.DataProcessing ??
    {};
  if (InputFilter === "$" && OutputFilter === "$" && JoinSource === "None") return;
  const { ContentType: type, SplitType: split = "None" } = request.TransformInput;
  const { Accept: accept, AssembleWith: assemble = "None" } = request.TransformOutput;
  if (!FORMATS.includes(type) || accept !== type) {
    throw invalid(
      `DataProcessing requires ContentType and Accept to be the same, one of [${
        FORMATS.join(", ")
      }].`,
    );
  }
  if (split !== assemble || (type === "text/csv" && split !== "Line")) {
    throw invalid(
      "DataProcessing requires SplitType and AssembleWith to be the same; with text/csv, Line.",
    );
  }
  checkPath("InputFilter", InputFilter, type);
  checkPath("OutputFilter", OutputFilter, type);
}

/** Characters of a path besides digits, and letters where there are names. */
const OPERATORS = ["$", "[", "]", "*", ".", " ", ",", ":", "-", "'"];

/** In the words of aws/aws-sdk, issue 184. */
function checkPath(name: string, path: string, type: string): void {
  const known = type === "text/csv" ? /[0-9]/ : /[0-9a-zA-Z]/;
  const wrong = [...path].find((one) => !known.test(one) && !OPERATORS.includes(one));
  if (wrong === undefined && path.startsWith("$")) return;
  throw invalid(
    `Invalid ${name}: "${path}". Unexpected "${
      wrong ?? path.slice(0, 1)
    }" in JsonPath. Supported ` +
      `operators for "${type}" are [${OPERATORS.map((one) => `'${one}'`).join(", ")}]`,
  );
}
