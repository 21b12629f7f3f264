import { assertEquals, assertThrows } from "@std/assert";
import {
  fieldOfHeader,
  headerOf,
  INVOCATION_HEADERS,
  type InvocationField,
  isHeaderValue,
  requireStreamed,
  typeOfBytes,
  typeOfFile,
} from "../../../runtime/contract/invocations.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("content types", () => {
  const files = [
    ["a.csv", "text/csv"],
    ["folder.csv/A.JSON", "application/json"],
    ["a.b.parquet", "application/x-parquet"],
    ["a.constructor", "application/octet-stream"],
    ["folder.csv/a", "application/octet-stream"],
    [".csv", "text/csv"],
    ["a.", "application/octet-stream"],
  ] as const;
  for (const [name, type] of files) {
    it(`of the file ${name}: ${type}`, () => assertEquals(typeOfFile(name), type));
  }

  const bodies = [
    ["an empty body", "", "text/csv"],
    ["an object", '\n{"a": 1}', "application/json"],
    ["an array", "[1]", "application/json"],
    ["a row", "72,3,15\n", "text/csv"],
    ["text with a NUL", "a\0b", "application/octet-stream"],
  ] as const;
  for (const [title, text, type] of bodies) {
    it(`of ${title}: ${type}`, () => {
      assertEquals(typeOfBytes(new TextEncoder().encode(text)), type);
    });
  }

  it("of text whose last character is cut in two: text", () => {
    assertEquals(typeOfBytes(new TextEncoder().encode("é").subarray(0, 1)), "text/csv");
  });

  it("of bytes that are no text: unknown", () => {
    assertEquals(typeOfBytes(new Uint8Array([0xff, 0x41])), "application/octet-stream");
  });
});

/**
 * AWS's own: botocore 1.44.5, `data/sagemaker-runtime/2017-05-13/service-2.json`, the members of
 * InvokeEndpointInput that are such a header, the most characters that each has, and whether
 * InvokeEndpointWithResponseStreamInput has it.
 */
const MODEL: readonly (readonly [InvocationField, string, number, boolean])[] = [
  ["CustomAttributes", "X-Amzn-SageMaker-Custom-Attributes", 1024, true],
  ["TargetModel", "X-Amzn-SageMaker-Target-Model", 1024, false],
  ["TargetVariant", "X-Amzn-SageMaker-Target-Variant", 63, true],
  ["TargetContainerHostname", "X-Amzn-SageMaker-Target-Container-Hostname", 63, true],
  ["InferenceId", "X-Amzn-SageMaker-Inference-Id", 64, true],
  ["EnableExplanations", "X-Amzn-SageMaker-Enable-Explanations", 64, false],
  ["InferenceComponentName", "X-Amzn-SageMaker-Inference-Component", 63, true],
  ["SessionId", "X-Amzn-SageMaker-Session-Id", 256, true],
  ["PrefixAwareId", "X-Amzn-SageMaker-Prefix-Aware-Id", 64, true],
];

suite("the headers of a request to an endpoint", () => {
  for (const [field, header, most, isStreamed] of MODEL) {
    it(`${header} is ${field}, by whatever name, of ${most} characters`, () => {
      const short = header.replace("X-Amzn-SageMaker-", "");
      for (const name of [header, header.toLowerCase(), short, short.toUpperCase()]) {
        assertEquals(fieldOfHeader(name), field);
      }
      assertEquals(headerOf(field), header);
      assertEquals(isHeaderValue(field, "a".repeat(most)), true);
      assertEquals(isHeaderValue(field, "a".repeat(most + 1)), false);
      const request = () => requireStreamed({ [field]: "a" });
      if (isStreamed) request();
      else {assertThrows(
          request,
          UsageError,
          `The header ${header} cannot be used together with --stream`,
        );}
    });
  }

  it("are all of them", () => {
    assertEquals(
      [...INVOCATION_HEADERS].sort(),
      MODEL.map(([, header]) => header.replace("X-Amzn-SageMaker-", "")).sort(),
    );
  });

  it("are no others", () => {
    for (
      const name of ["", "Authorization", "Content-Type", "Accept", "X-Api-Key", "constructor"]
    ) {
      assertEquals(fieldOfHeader(name), undefined);
    }
  });

  for (
    const [field, value, isOne] of [
      ["CustomAttributes", "trace=1, b; c", true],
      ["CustomAttributes", "", false],
      ["CustomAttributes", " a", false],
      ["CustomAttributes", "a\nX-Other: b", false],
      ["CustomAttributes", "a\r", false],
      ["CustomAttributes", "a\u0000", false],
      ["CustomAttributes", "é", false],
      ["TargetVariant", "AllTraffic-2", true],
      ["TargetVariant", "a_b", false],
      ["TargetVariant", "a-", false],
      ["TargetVariant", "a\n", false],
      ["SessionId", "NEW_SESSION", true],
      ["SessionId", "NEW_SESSIONS", false],
      ["EnableExplanations", "`true`", true],
      ["TargetModel", "a/b c.tar.gz", true],
    ] as const
  ) {
    it(`${JSON.stringify(value)} is ${isOne ? "a" : "no"} value of ${field}`, () => {
      assertEquals(isHeaderValue(field, value), isOne);
    });
  }
});
