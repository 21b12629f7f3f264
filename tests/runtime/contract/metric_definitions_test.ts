import { assertEquals, assertThrows } from "@std/assert";
import { metricDefinitionsIn } from "../../../runtime/contract/metric_definitions.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

const LOSS = { Name: "loss", Regex: "loss=([0-9.]+)" };

suite("metric_definitions", () => {
  it("are names and expressions; none where there is no key", () => {
    assertEquals(metricDefinitionsIn([LOSS], "a.json"), [
      { name: "loss", regex: "loss=([0-9.]+)" },
    ]);
    for (const none of [undefined, null, "", []]) {
      assertEquals(metricDefinitionsIn(none, "a.json"), []);
    }
    const most = Array.from({ length: 40 }, () => ({
      Name: "😀".repeat(255),
      Regex: "x".repeat(500),
    }));
    assertEquals(metricDefinitionsIn(most, "a.json").length, 40);
  });

  const rows: readonly (readonly [value: unknown, message: string])[] = [
    [{ loss: "x" }, '"metric_definitions" must be a list, but is an object'],
    ["loss", '"metric_definitions" must be a list, but is a string'],
    [
      Array.from({ length: 41 }, () => LOSS),
      '"metric_definitions" has 41 definitions, but SageMaker accepts up to 40',
    ],
    [["loss"], "metric_definitions[0] must be an object, but is a string"],
    [[LOSS, { name: "x", Regex: "y" }], 'metric_definitions[1] has an unknown key "name"'],
    [
      [{ Name: "x" }],
      '"Regex" of metric_definitions[0] must be text of 1 to 500 characters, but is missing',
    ],
    [
      [{ Name: "", Regex: "y" }],
      '"Name" of metric_definitions[0] must be text of 1 to 255 characters, but is empty',
    ],
    [
      [{ Name: 3, Regex: "y" }],
      '"Name" of metric_definitions[0] must be text of 1 to 255 characters, but is a number',
    ],
    [
      [{ Name: "x", Regex: "y".repeat(501) }],
      '"Regex" of metric_definitions[0] must be text of 1 to 500 characters, but is longer or contains line breaks',
    ],
    [
      [{ Name: "x\ny", Regex: "y" }],
      '"Name" of metric_definitions[0] must be text of 1 to 255 characters, but is longer or contains line breaks',
    ],
  ];
  for (const [value, message] of rows) {
    it(message, () => {
      const error = assertThrows(() => metricDefinitionsIn(value, "a.json"), MlcliError);
      assertEquals(error.message, `a.json: ${message}`);
    });
  }
});
