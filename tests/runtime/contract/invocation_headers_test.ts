import { assertEquals } from "@std/assert";
import {
  fieldOfHeader,
  headerOf,
  INVOCATION_HEADERS,
  type InvocationField,
  isHeaderValue,
  notStreamed,
} from "../../../runtime/contract/invocation_headers.ts";
import { it, suite } from "../../helpers/suite.ts";

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
      assertEquals(notStreamed({ [field]: "a" }), isStreamed ? [] : [field]);
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
