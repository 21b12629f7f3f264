import { assertEquals, assertThrows } from "@std/assert";
import { MlcliError, UsageError } from "../../../runtime/errors.ts";
import {
  type AskedTransform,
  executionParametersIn,
  limitsOf,
  limitsText,
  type RequestLimits,
  type Transform,
  transformOf,
  transformVariables,
} from "../../../runtime/contract/transform.ts";
import { it, suite } from "../../helpers/suite.ts";

/** The file's type, what is asked for, and what comes of it. */
const DEFAULTS: readonly (readonly [string, Partial<AskedTransform>, Partial<Transform>])[] = [
  ["text/csv", {}, { split: "line", assemble: "line", accept: "text/csv", strategy: undefined }],
  ["text/csv; charset=utf-8", {}, { split: "line", assemble: "line" }],
  ["application/jsonlines", {}, { split: "line", accept: "application/jsonlines" }],
  ["application/json", {}, { split: "none", assemble: "none", accept: undefined }],
  ["application/json", { split: "line" }, { strategy: "single", assemble: "line" }],
  ["application/json", { split: "line", strategy: "multi" }, { strategy: "multi" }],
  ["image/png", {}, { split: "none", assemble: "none", accept: undefined }],
  ["image/png", { contentType: "text/csv" }, { contentType: "text/csv", split: "line" }],
  ["text/csv", { split: "none" }, { assemble: "none", accept: undefined }],
  ["text/csv", { accept: "application/json" }, { accept: "application/json" }],
  ["application/json", { join: "input" }, { accept: "application/json" }],
  ["text/plain", {}, { invocationRetries: 3, invocationTimeout: 600 }],
  ["audio/wav", {}, { compression: "none", join: "none" }],
];

const REFUSED: readonly (readonly [string, Partial<AskedTransform>, string])[] = [
  ["image/png", { strategy: "single" }, "split into records"],
  ["text/csv", { maxConcurrency: 20, maxPayload: 6 }, "limit of 100 MB in total"],
  ["image/png", { join: "input" }, "requests and responses of the same type"],
  [
    "text/csv",
    { join: "input", accept: "application/json" },
    "requests and responses of the same type",
  ],
  ["text/csv", { inputFilter: "$[1:]", assemble: "none" }, "with one record per line"],
  ["text/csv", { inputFilter: "$[1:]", split: "none" }, "with one record per line"],
];

const OF_PLATFORM = { maxConcurrency: 1, strategy: "multi", maxPayload: 6 } as const;
const OF_SERVER = { maxConcurrency: 4, strategy: "single", maxPayload: 2 } as const;
const ASKED = { maxConcurrency: 2, strategy: "multi", maxPayload: 0 } as const;

/** What is asked for, what the server answers, and what counts. */
const LIMITS: readonly (readonly Partial<RequestLimits>[])[] = [
  [{}, {}, OF_PLATFORM],
  [{}, OF_SERVER, OF_SERVER],
  [ASKED, OF_SERVER, ASKED],
  [{ maxConcurrency: 0 }, { maxConcurrency: 3 }, { ...OF_PLATFORM, maxConcurrency: 3 }],
  [{}, { maxConcurrency: 1e9, maxPayload: 0 }, {
    ...OF_PLATFORM,
    maxConcurrency: 100,
    maxPayload: 0,
  }],
];

/** What a server answers, and what is read there. */
const ANSWERS: readonly (readonly [string, Partial<RequestLimits>])[] = [
  ["{}", {}],
  ['{"MaxConcurrentTransforms": 8, "BatchStrategy": "MULTI_RECORD", "MaxPayloadInMB": 6}', {
    maxConcurrency: 8,
    maxPayload: 6,
    strategy: "multi",
  }],
  ['{"BatchStrategy": "SINGLE_RECORD", "MaxPayloadInMB": null}', { strategy: "single" }],
];

const NOT_VALID = [
  "no",
  "[]",
  '{"MaxPayloadInMB": -1}',
  '{"MaxConcurrentTransforms": "4"}',
  '{"BatchStrategy": "MultiRecord"}',
];

suite("what a transform asks of a server", () => {
  for (const [type, asked, expected] of DEFAULTS) {
    it(`${type} with ${JSON.stringify(asked)}`, () => {
      const transform = transformOf(asked, type);
      const found = Object.keys(expected).map((key) => [key, transform[key as keyof Transform]]);
      assertEquals(Object.fromEntries(found), expected);
    });
  }

  for (const [type, asked, words] of REFUSED) {
    it(`refuses ${type} with ${Object.keys(asked)}`, () => {
      assertThrows(() => transformOf(asked, type), UsageError, words);
    });
  }

  for (const [asked, answered, expected] of LIMITS) {
    it(`${JSON.stringify(asked)} before ${JSON.stringify(answered)}`, () => {
      assertEquals(limitsOf(asked!, answered), expected as RequestLimits);
    });
  }

  it("refuses more in requests at once than SageMaker takes", () => {
    const { hint } = assertThrows(() => limitsOf({ maxConcurrency: 50 }), UsageError);
    assertEquals(hint, "Use --max-payload 2 or less");
  });

  for (const [text, expected] of ANSWERS) {
    it(`reads the execution parameters ${text}`, () => {
      const nothing = { maxConcurrency: undefined, maxPayload: undefined, strategy: undefined };
      assertEquals(executionParametersIn(text), { ...nothing, ...expected });
    });
  }

  for (const text of NOT_VALID) {
    it(`refuses the execution parameters ${text}`, () => {
      assertThrows(
        () => executionParametersIn(text),
        MlcliError,
        `Invalid response from /execution-parameters: ${text}`,
      );
    });
  }

  const texts: readonly (readonly [limits: RequestLimits, text: string])[] = [
    [
      { maxConcurrency: 2, maxPayload: 6, strategy: "multi" },
      "Sending up to 2 requests at once (up to 6 MB, as many records as fit)",
    ],
    [
      { maxConcurrency: 1, maxPayload: 0, strategy: "single" },
      "Sending one request at a time (of any size, one record each)",
    ],
  ];
  for (const [limits, text] of texts) {
    it(`limitsText returns: ${text}`, () => assertEquals(limitsText(limits), text));
  }

  it("sets the variables of limits only where they are asked for", () => {
    assertEquals(transformVariables({}), { SAGEMAKER_BATCH: "true" });
    assertEquals(
      transformVariables({ maxPayload: 0, maxConcurrency: 2, strategy: "multi" }),
      {
        SAGEMAKER_BATCH: "true",
        SAGEMAKER_MAX_PAYLOAD_IN_MB: "0",
        SAGEMAKER_BATCH_STRATEGY: "MULTI_RECORD",
        SAGEMAKER_MAX_CONCURRENT_TRANSFORMS: "2",
      },
    );
  });
});
