/**
 * Which instance types there are, by family: `TrainingInstanceType` and `ProcessingInstanceType` of
 * botocore 1.44.5, without the families that came after 2022 and are not in use here.
 *
 * @module
 */

const M5 = "large xlarge 2xlarge 4xlarge 12xlarge 24xlarge";
const G = "xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge";
const I6 = "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge";

/** Sizes that both kinds of jobs have. */
const FAMILIES: Readonly<Record<string, string>> = {
  t3: "medium large xlarge 2xlarge",
  m4: "xlarge 2xlarge 4xlarge 10xlarge 16xlarge",
  m5: M5,
  m6i: I6,
  m7i: `${I6.replace(" 32xlarge", "")} 48xlarge`,
  c4: "xlarge 2xlarge 4xlarge 8xlarge",
  c5: "xlarge 2xlarge 4xlarge 9xlarge 18xlarge",
  c6i: I6.replace("large ", ""),
  r5: "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge",
  p2: "xlarge 8xlarge 16xlarge",
  p3: "2xlarge 8xlarge 16xlarge",
  g4dn: "xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
  g5: G,
  g6: G,
};

/** Those of trainings alone. */
const OF_TRAININGS: Readonly<Record<string, string>> = {
  c5n: "xlarge 2xlarge 4xlarge 9xlarge 18xlarge",
  p4d: "24xlarge",
  p5: "48xlarge",
  trn1: "2xlarge 32xlarge",
};

/** All types that a kind of job may have. */
export const INSTANCE_TYPES = {
  training: typesOf({ ...FAMILIES, ...OF_TRAININGS }),
  processing: typesOf(FAMILIES),
};

function typesOf(families: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(families).flatMap(([family, sizes]) =>
    sizes.split(" ").map((size) => `ml.${family}.${size}`)
  );
}
