import { assertEquals, assertThrows } from "@std/assert";
import {
  invocationFields,
  parseInvocationHeader,
  parseRequestHeader,
  parseVariant,
  requestHeaders,
} from "../../../commands/options/invocation.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the headers that --header takes", () => {
  for (
    const [text, field, value] of [
      ["Inference-Id=7", "InferenceId", "7"],
      ["Inference-Id: 7", "InferenceId", "7"],
      ["inference-id:7 ", "InferenceId", "7"],
      ["X-Amzn-SageMaker-Custom-Attributes: a=b: c", "CustomAttributes", "a=b: c"],
      ["custom-attributes=a:b=c", "CustomAttributes", "a:b=c"],
    ] as const
  ) {
    it(text, () => assertEquals(parseInvocationHeader(text, "--header"), { field, value }));
  }

  for (
    const [text, message] of [
      ["Inference-Id", '--header must be NAME=VALUE or NAME: VALUE, but got "Inference-Id"'],
      ["=7", '--header must be NAME=VALUE or NAME: VALUE, but got "=7"'],
      ["Inference-Id:", '--header: "" is not a valid value for X-Amzn-SageMaker-Inference-Id'],
      [
        "Inference-Id=a\nb",
        '--header: "a\\nb" is not a valid value for X-Amzn-SageMaker-Inference-Id',
      ],
      ["Host=x", '--header: SageMaker does not forward header "Host"'],
    ] as const
  ) {
    it(`but not ${JSON.stringify(text)}`, () => {
      const error = assertThrows(() => parseInvocationHeader(text, "--header"), UsageError);
      assertEquals(error.message, message);
    });
  }

  it("each once, the variant among them", () => {
    const header = [parseInvocationHeader("Inference-Id=7", "--header")];
    assertEquals(invocationFields({ variant: undefined, header }), { InferenceId: "7" });
    assertEquals(invocationFields({ variant: "a", header }), {
      InferenceId: "7",
      TargetVariant: "a",
    });
    assertThrows(
      () => invocationFields({ variant: undefined, header: [...header, ...header] }),
      UsageError,
      "Header X-Amzn-SageMaker-Inference-Id was given more than once",
    );
  });

  it("a variant has a name", () => {
    assertEquals(parseVariant("AllTraffic", "--variant"), "AllTraffic");
    assertThrows(() => parseVariant("a_b", "--variant"), UsageError, "--variant must be a");
  });
});

suite("the headers that --header of local invoke takes", () => {
  for (
    const [text, name, value, field] of [
      ["Inference-Id=7", "X-Amzn-SageMaker-Inference-Id", "7", "InferenceId"],
      ["x-amzn-sagemaker-inference-id:\t7 ", "X-Amzn-SageMaker-Inference-Id", "7", "InferenceId"],
      [
        "custom-attributes : a=b: c",
        "X-Amzn-SageMaker-Custom-Attributes",
        "a=b: c",
        "CustomAttributes",
      ],
      ["X-Trace: a  b\tc", "X-Trace", "a  b\tc", undefined],
      ["!x|~1=:=", "!x|~1", ":=", undefined],
      ["X-Amzn-SageMaker-New: 1", "X-Amzn-SageMaker-New", "1", undefined],
    ] as const
  ) {
    it(text, () => assertEquals(parseRequestHeader(text, "--header"), { name, value, field }));
  }

  const LINES = [["X-A", "a\nB: c"], ["X-A", "a\r"], ["X-A", "a\n"], ["X-A", "é"], ["X-A", "\0"]];
  for (
    const [text, message] of [
      ["X-Trace", '--header must be NAME=VALUE or NAME: VALUE, but got "X-Trace"'],
      ["", '--header must be NAME=VALUE or NAME: VALUE, but got ""'],
      ["=7", '--header: "" is not a valid header name'],
      [" : 7", '--header: "" is not a valid header name'],
      [" X-A: 7", '--header: " X-A" is not a valid header name'],
      ["X A: 7", '--header: "X A" is not a valid header name'],
      ["X\r\nY: 7", '--header: "X\\r\\nY" is not a valid header name'],
      ["é: 7", '--header: "é" is not a valid header name'],
      ["X-A:", '--header: "" is not a valid value for X-A'],
      ...LINES.map(([name, value]) =>
        [
          `${name}: ${value}`,
          `--header: ${JSON.stringify(value)} is not a valid value for ${name}`,
        ] as const
      ),
      [
        "Target-Variant: a_b",
        '--header: "a_b" is not a valid value for X-Amzn-SageMaker-Target-Variant',
      ],
      ["content-TYPE: a/b", "--header cannot set content-TYPE"],
      ["Accept=a/b", "--header cannot set Accept"],
      ...["Host", "content-length", "Transfer-Encoding", "CONNECTION", "Expect", "TE"].map((name) =>
        [`${name}: 1`, `--header cannot set ${name}: mlcli sets it`] as const
      ),
    ] as const
  ) {
    it(`but not ${JSON.stringify(text)}`, () => {
      const error = assertThrows(() => parseRequestHeader(text, "--header"), UsageError);
      assertEquals(error.message, message);
    });
  }

  it("each once, by whatever name", () => {
    const parse = (text: string) => parseRequestHeader(text, "--header");
    const both = [parse("X-A: 1"), parse("Inference-Id: 1")];
    assertEquals(requestHeaders(both), both);
    for (
      const [text, message] of [
        ["x-a: 2", "Header x-a was given more than once"],
        [
          "X-Amzn-SageMaker-Inference-Id=2",
          "Header X-Amzn-SageMaker-Inference-Id was given more than once",
        ],
      ] as const
    ) {
      assertThrows(() => requestHeaders([...both, parse(text)]), UsageError, message);
    }
  });
});
