import { assertEquals, assertThrows } from "@std/assert";
import {
  invocationFields,
  parseInvocationHeader,
  parseVariant,
} from "../../../commands/options/invocation_parsers.ts";
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
      ["Inference-Id", '--header must be NAME=VALUE or NAME: VALUE, but got "Inference-Id".'],
      ["=7", '--header must be NAME=VALUE or NAME: VALUE, but got "=7".'],
      ["Inference-Id:", '--header: "" is no value for X-Amzn-SageMaker-Inference-Id.'],
      ["Inference-Id=a\nb", '--header: "a\\nb" is no value for X-Amzn-SageMaker-Inference-Id.'],
      ["Host=x", "--header: SageMaker passes no header Host on."],
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
      "X-Amzn-SageMaker-Inference-Id is given more than once.",
    );
  });

  it("a variant has a name", () => {
    assertEquals(parseVariant("AllTraffic", "--variant"), "AllTraffic");
    assertThrows(() => parseVariant("a_b", "--variant"), UsageError, "--variant must be a");
  });
});
