import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { isResourceName } from "../../../runtime/contract/limits.ts";
import {
  checkBaseJobName,
  checkDeployedName,
  checkEndpointName,
  checkJobName,
  checkNamePart,
  configurationOf,
  DEPLOYED_NAME_LENGTH,
  freeSlot,
  hostContainerName,
  type InUse,
  isJobName,
  isPlatformJobName,
  isPossibleName,
  jobName,
  platformJobName,
  slotsOf,
} from "../../../runtime/contract/names.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

const NAMES: readonly (readonly [name: string, is: boolean, why: string])[] = [
  ["mlcli-churn-train-0badcafe", true, "as it is given"],
  ["mlcli-churn-process-0badcafe", false, "of another kind of job"],
  ["mlcli-chur-train-0badcafe", false, "of another app"],
  ["mlcli-churn-train-0badcaf", false, "too short"],
  ["mlcli-churn-train-0badcafe0", false, "too long"],
  ["mlcli-churn-train-0BADCAFE", false, "in capitals"],
  ["mlcli-churn-train-serve-80", false, "of a server"],
  ["x-mlcli-churn-train-0badcafe", false, "with something before it"],
  ["", false, "empty"],
  ["mlcli-churn-train-0badcafe-algo-12", true, "of a host"],
  ["mlcli-churn-train-0badcafe-algo-", false, "of a host without a number"],
  ["mlcli-churn-train-0badcafe-algo-1-algo-2", false, "of two hosts"],
];

suite("names of containers of jobs", () => {
  it("tell two jobs of an app apart", () => {
    const [one, other] = [jobName("churn", "train"), jobName("churn", "train")];
    assertMatch(one, /^mlcli-churn-train-[0-9a-f]{8}$/);
    assert(one !== other);
    assertMatch(jobName("churn", "process"), /^mlcli-churn-process-[0-9a-f]{8}$/);
  });

  it("are known again", () => {
    assertEquals(isJobName(jobName("a.b_c", "process"), "a.b_c", "process"), true);
    const host = hostContainerName(jobName("a.b_c", "train"), "algo-2");
    assertEquals(isJobName(host, "a.b_c", "train"), true);
  });

  for (const [name, is, why] of NAMES) {
    it(`${why}: ${name} is ${is ? "one" : "none"}`, () => {
      assertEquals(isJobName(name, "churn", "train"), is);
    });
  }
});

const TIME = "2026-03-01T09:30:00.123Z";
const STAMP = "2026-03-01-09-30-00-123";

/** Bases, and what of them a name keeps. */
const BASES: readonly (readonly [base: string, kept: string])[] = [
  ["churn", "churn-"],
  ["Churn-2", "Churn-2-"],
  ["a.b_c", "a-b-c-"],
  ["a".repeat(39), `${"a".repeat(39)}-`],
  ["a".repeat(40), `${"a".repeat(39)}-`],
  ["a".repeat(500), `${"a".repeat(39)}-`],
  [`${"a".repeat(38)}_b`, `${"a".repeat(38)}-`],
  ["a__", "a-"],
  ["__a", "a-"],
  ["é", ""],
  ["", ""],
];

suite("the name of a job on SageMaker", () => {
  for (const [base, kept] of BASES) {
    it(`of ${JSON.stringify(base.slice(0, 20))} (${base.length}): ${kept}...`, () => {
      const name = platformJobName(base, TIME);
      assertEquals(name, kept + STAMP);
      assert(isResourceName(name));
    });
  }

  it("is known again", () => {
    assert(isPlatformJobName(platformJobName("a_b", TIME), "a_b"));
    assert(!isPlatformJobName(platformJobName("a_b", TIME), "a"));
    assert(!isPlatformJobName("a-b", "a"));
  });

  it("is as long as it may be where the base is", () => {
    assertEquals(platformJobName("a".repeat(63), TIME).length, 63);
  });

  for (const base of ["churn", "a".repeat(63), "A--9"]) {
    it(`may begin with ${base.slice(0, 9)} (${base.length})`, () => checkBaseJobName(base));
  }

  for (const base of ["", "a_b", "a.b", "-a", "a-", "a b", "é", "a".repeat(64)]) {
    it(`may not begin with ${JSON.stringify(base.slice(0, 9))} (${base.length})`, () => {
      const { message, hint } = assertThrows(() => checkBaseJobName(base), UsageError);
      assertEquals([message, hint], [
        `Invalid job name: "${base}"`,
        "Use 1 to 63 letters, digits and hyphens, without a hyphen at the start or end",
      ]);
    });
  }
});

suite("the name of a job that is there", () => {
  for (const name of ["a", "churn-2026-03-01", "a".repeat(63)]) {
    it(`may be ${name.slice(0, 20)} (${name.length})`, () => checkJobName(name));
  }
  for (const name of ["", "a_b", "-a", "a".repeat(64), "s3://b/k"]) {
    it(`cannot be ${JSON.stringify(name.slice(0, 9))} (${name.length})`, () => {
      const { message } = assertThrows(() => checkJobName(name), UsageError);
      assertEquals(message, `Invalid job name: "${name}"`);
    });
  }
  for (const part of ["a", "-", "a-", "-1", "a".repeat(63)]) {
    it(`may contain ${part.slice(0, 9)} (${part.length})`, () => checkNamePart(part, "job"));
  }
  for (const part of ["", "_", "a b", "a".repeat(64)]) {
    it(`cannot contain ${JSON.stringify(part.slice(0, 9))} (${part.length})`, () => {
      const { message } = assertThrows(() => checkNamePart(part, "job"), UsageError);
      assertEquals(message, `No job name can contain "${part}"`);
    });
  }
});

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
        `Invalid endpoint name: "${word}"`,
        "Use 1 to 63 letters, digits and hyphens, without a hyphen at the start or end",
      ]);
    });

    it(`${text} is ${isPart ? "a" : "no"} part of a name`, () => {
      if (isPart) return checkNamePart(word, "endpoint");
      const { message, hint } = assertThrows(() => checkNamePart(word, "endpoint"), UsageError);
      assertEquals([message, hint], [
        `No endpoint name can contain "${word}"`,
        "Use up to 63 letters, digits and hyphens",
      ]);
    });
  }

  it("a name of 54 leaves room for those of what deploy makes, one of 55 does not", () => {
    checkDeployedName("a".repeat(54));
    const { message, hint } = assertThrows(() => checkDeployedName("a".repeat(55)), UsageError);
    assertEquals(
      message,
      `Endpoint name "${"a".repeat(55)}" has 55 characters, but deploy accepts up to 54`,
    );
    assertStringIncludes(hint!, "-config-2");
    assertThrows(() => checkDeployedName("a_b"), UsageError, "Invalid endpoint name");
  });

  it("a name of 56 leaves room for its configuration's, one of 57 does not", () => {
    assertEquals(configurationOf("churn"), "churn-config");
    const possible = [56, 57].map((length) => isPossibleName(configurationOf("a".repeat(length))));
    assertEquals(possible, [true, false]);
  });
});

/** What an endpoint "shop" has, and the names that its next deployment takes. */
const FREE: readonly (readonly [inUse: InUse, configuration: string, model: string])[] = [
  [{ configurations: [], models: [] }, "shop-config", "shop-mlcli"],
  [
    { configurations: ["shop-config"], models: ["shop-mlcli"] },
    "shop-config-2",
    "shop-mlcli-2",
  ],
  [
    { configurations: ["shop-config-2"], models: ["shop-mlcli-2"] },
    "shop-config",
    "shop-mlcli",
  ],
  // Made by somebody else: nothing of it has one of these names.
  [{ configurations: ["shop-2026"], models: ["shop-model"] }, "shop-config", "shop-mlcli"],
  [{ configurations: ["shop-config"], models: ["shop-model"] }, "shop-config-2", "shop-mlcli"],
  [{ configurations: ["shop-2026"], models: ["shop-mlcli"] }, "shop-config", "shop-mlcli-2"],
  // Each of another pair.
  [{ configurations: ["shop-config"], models: ["shop-mlcli-2"] }, "shop-config-2", "shop-mlcli"],
];

suite("the names of what an endpoint is made of", () => {
  it("are two pairs, of which the first has the specification's configuration", () => {
    assertEquals(slotsOf("shop"), [
      { configuration: "shop-config", model: "shop-mlcli" },
      { configuration: "shop-config-2", model: "shop-mlcli-2" },
    ]);
  });

  it("are names for the longest endpoint that deploy takes, and not all for a longer one", () => {
    const all = (length: number): readonly string[] =>
      slotsOf("a".repeat(length)).flatMap(({ configuration, model }) => [configuration, model]);
    assert(all(DEPLOYED_NAME_LENGTH).every(isResourceName));
    assert(!all(DEPLOYED_NAME_LENGTH + 1).every(isResourceName));
  });

  for (const [inUse, configuration, model] of FREE) {
    it(`beside ${JSON.stringify(inUse)}: ${configuration}, ${model}`, () => {
      assertEquals(freeSlot("shop", inUse), { configuration, model });
    });
  }
});
