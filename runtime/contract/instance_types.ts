/**
 * SageMaker's instance types, for completion alone: the service says what it takes.
 *
 * Source: `TrainingInstanceType`, `ProcessingInstanceType` and `ProductionVariantInstanceType` of the
 * SDK's client, together.
 */

/** Families, then the sizes that each of them has. */
const FAMILIES = `
  c4: large xlarge 2xlarge 4xlarge 8xlarge
  c5 c5d: large xlarge 2xlarge 4xlarge 9xlarge 18xlarge
  c5n: xlarge 2xlarge 4xlarge 9xlarge 18xlarge
  c6g c6gd c6gn c7g m6g m6gd r6g r6gd: large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge
  c6i c6in m6i r6i: large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge
  c7i m7i r7i: large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge
  c8g m8g r8g: medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge
  c8i: xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge 48xlarge 96xlarge
  dl1 p3dn p4d p4de: 24xlarge
  g4dn: xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge
  g5 g6 g6e: xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge
  g7 g7e: 2xlarge 4xlarge 8xlarge 12xlarge 24xlarge 48xlarge
  inf1: xlarge 2xlarge 6xlarge 24xlarge
  inf2: xlarge 8xlarge 24xlarge 48xlarge
  m4: xlarge 2xlarge 4xlarge 10xlarge 16xlarge
  m5 m5d: large xlarge 2xlarge 4xlarge 12xlarge 24xlarge
  m8i r8i: large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge 48xlarge 96xlarge
  p2: xlarge 8xlarge 16xlarge
  p3: 2xlarge 8xlarge 16xlarge
  p5: 4xlarge 48xlarge
  p5e p5en p6-b200 p6-b300 trn2: 48xlarge
  p6e-gb200: 36xlarge
  r5 r5d: large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge
  r7gd: medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge
  t2 t3: medium large xlarge 2xlarge
  trn1: 2xlarge 32xlarge
  trn1n: 32xlarge`;

/** `ml.m5.large`, ... */
export const INSTANCE_TYPES: readonly string[] = FAMILIES.trim().split("\n").flatMap((line) => {
  const [families = "", sizes = ""] = line.split(":").map((words) => words.trim());
  return families.split(" ").flatMap((family) =>
    sizes.split(" ").map((size) => `ml.${family}.${size}`)
  );
});
