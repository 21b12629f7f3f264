import { assertEquals } from "@std/assert";
import { type BaseImage, baseImages } from "../../../../runtime/app/dockerfile/stages.ts";
import { instructionsOf } from "../../../../runtime/app/dockerfile/instructions.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** `image`, or `image for platform`. */
function shown({ reference, platform }: BaseImage): string {
  return platform === undefined ? reference : `${reference} for ${platform}`;
}

/** Thirty arguments, each twice as long as the one before. */
const DOUBLING = [
  "ARG A0=x",
  ...Array.from({ length: 30 }, (_, index) => `ARG A${index + 1}=$A${index}$A${index}`),
  "FROM $A30",
].join("\n");

suite("the base images of a Dockerfile", () => {
  const GIVEN = { BASE_IMAGE: "r.example:5000/team/base:1", EMPTY: "" };
  const rows: readonly (readonly [title: string, dockerfile: string, ...images: string[]])[] = [
    ["an image", "FROM a\nRUN b", "a"],
    ["an argument that is given", "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}", GIVEN.BASE_IMAGE],
    ["what is given, and not the default", "ARG BASE_IMAGE=x\nFROM $BASE_IMAGE", GIVEN.BASE_IMAGE],
    ["a default", 'ARG A="x"\nARG TAG=1\nFROM ${A}:${TAG}', "x:1"],
    ["a default of a default", "ARG A=x\nARG B=${A}/y\nFROM $B", "x/y"],
    ["what stands in for an argument without a value", "FROM ${A:-x}\nFROM ${EMPTY:-y}", "y"],
    ["several arguments in a line", "ARG A=x B=y\nFROM $A/$B", "x/y"],
    ["nothing of an argument of the builder's", "FROM --platform=$BUILDPLATFORM x:$TARGETARCH"],
    ["nothing of what is done to an argument", "ARG A=x\nFROM ${A#x}y"],
    ["nothing of a stage's own argument", "FROM x\nARG A=y\nFROM $A"],
    ["nothing, which is an image", "FROM scratch"],
    ["nothing that is no name", "FROM ../x"],
    ["nothing that is an option", "FROM -x"],
    ["nothing where nothing is named", "FROM"],
    ["a digest", "FROM x/y:1@sha256:0123", "x/y:1@sha256:0123"],
    ["a platform", "ARG P=linux/arm64\nFROM --platform=$P x", "x for linux/arm64"],
    ["a platform of the builder's", "FROM --platform=$TARGETPLATFORM x", "x"],
    ["stages once", "FROM x AS a\nFROM a as B\nFROM b", "x"],
    [
      "what other stages bring",
      "FROM x AS a\nFROM y\nCOPY --from=a /f /\nCOPY --from=0 /g /",
      "x",
      "y",
    ],
    [
      "what is copied from or mounted",
      "FROM x\nCOPY --from=y:1 /f /\nRUN --mount=type=bind,from=z,target=/t b",
      "x",
      "y:1",
      "z",
    ],
    ["nothing of stages that are not built", "FROM x AS a\nFROM y AS b\nFROM z", "z"],
    ["an image that a later stage is named after", "FROM x\nCOPY --from=y /f /\nFROM z AS y", "z"],
    [
      "an image twice with different platforms",
      "FROM x AS a\nFROM --platform=p/q x\nCOPY --from=a b c",
      "x",
      "x for p/q",
    ],
    ["nothing of arguments that double each other without end", DOUBLING],
    ["nothing of nothing", ""],
  ];
  for (const [title, dockerfile, ...images] of rows) {
    it(`are ${title}`, () => {
      assertEquals(baseImages(instructionsOf(dockerfile), GIVEN).images.map(shown), images);
    });
  }

  it("are those of the target", () => {
    const instructions = instructionsOf("FROM x AS a\nFROM y AS b\nFROM z");
    for (const [target, image] of [["A", "x"], ["1", "y"], ["b", "y"]] as const) {
      assertEquals(baseImages(instructions, {}, target).images.map(shown), [image]);
    }
  });
});

suite("the images that stages begin with", () => {
  const rows: readonly (readonly [string, readonly string[], boolean?])[] = [
    ["FROM x AS a\nFROM a\nCOPY --from=y b c", ["x"]],
    ["FROM y\nCOPY --from=x b c\nRUN --mount=from=y,target=/t d", ["y"]],
    ["FROM x AS not-built\nFROM y", ["y"]],
    ["FROM scratch", []],
    ["ARG X\nFROM $X", [], true],
    ["FROM x\nCOPY --from=$X b c", ["x"]],
    ["FROM x AS a-amd64\nFROM a-${TARGETARCH}", [], true],
    ["ARG X=y\nFROM ${X}", ["y"]],
    ["FROM", [], true],
  ];
  for (const [dockerfile, references, expected = false] of rows) {
    it(`are known of ${dockerfile}`, () => {
      const { images, hasUnknown } = baseImages(instructionsOf(dockerfile), {});
      const begun = images.filter(({ isBuiltUpon }) => isBuiltUpon);
      assertEquals(begun.map(({ reference }) => reference), references);
      assertEquals(hasUnknown, expected);
    });
  }
});
