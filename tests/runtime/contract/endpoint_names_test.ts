import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import {
  checkDeployedName,
  checkEndpointName,
  checkNamePart,
  configurationOf,
  isPossibleName,
} from "../../../runtime/contract/endpoint_names.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

const LONGEST = "a".repeat(63);

/** What may be a name, what may be a part of one, and what neither. */
const WORDS: readonly (readonly [word: string, isName: boolean, isPart: boolean])[] = [
  ["churn", true, true],
  ["Churn-2", true, true],
  ["7", true, true],
  ["a--b", true, true],
  [LONGEST, true, true],
  [`${LONGEST}a`, false, false],
  ["-", false, true],
  ["-churn", false, true],
  ["churn-", false, true],
  ["-".repeat(63), false, true],
  ["", false, false],
  ["churn_2", false, false],
  ["churn.v2", false, false],
  ["a b", false, false],
  [" churn", false, false],
  ["churn\n", false, false],
  ["chürn", false, false],
];

suite("names of endpoints", () => {
  for (const [word, isName, isPart] of WORDS) {
    const text = JSON.stringify(word);

    it(`${text} is ${isName ? "a" : "no"} name`, () => {
      if (isName) return checkEndpointName(word);
      const { message, hint } = assertThrows(() => checkEndpointName(word), UsageError);
      assertEquals([message, hint], [
        `Endpoint name not valid: "${word}"`,
        "A name has 1 to 63 letters, digits and hyphens, with no hyphen at its start or end.",
      ]);
    });

    it(`${text} is ${isPart ? "a" : "no"} part of a name`, () => {
      if (isPart) return checkNamePart(word);
      const { message, hint } = assertThrows(() => checkNamePart(word), UsageError);
      assertEquals([message, hint], [
        `No endpoint's name contains "${word}"`,
        "Names have at most 63 letters, digits and hyphens.",
      ]);
    });
  }

  it("a name of 54 leaves room for those of what deploy makes, one of 55 does not", () => {
    checkDeployedName("a".repeat(54));
    const { message, hint } = assertThrows(() => checkDeployedName("a".repeat(55)), UsageError);
    assertEquals(
      message,
      `Endpoint name too long: "${"a".repeat(55)}" has 55 characters; deploy takes 54`,
    );
    assertStringIncludes(hint!, "NAME-config-2");
    assertThrows(() => checkDeployedName("a_b"), UsageError, "Endpoint name not valid");
  });

  it("a name of 56 leaves room for its configuration's, one of 57 does not", () => {
    assertEquals(configurationOf("churn"), "churn-config");
    const possible = [56, 57].map((length) => isPossibleName(configurationOf("a".repeat(length))));
    assertEquals(possible, [true, false]);
  });
});
