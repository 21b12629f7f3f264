/** The instance types of endpoints and jobs, by family: botocore 1.44.5. */

const TO_16 = "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge";
const G = "xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge";

/** Sizes, and the families that have them. */
const OF_ENDPOINTS: readonly (readonly [families: string, sizes: string])[] = [
  ["t2", "medium large xlarge 2xlarge"],
  ["m4", "xlarge 2xlarge 4xlarge 10xlarge 16xlarge"],
  ["m5 m5d r5 r5d", "large xlarge 2xlarge 4xlarge 12xlarge 24xlarge"],
  ["c4", "large xlarge 2xlarge 4xlarge 8xlarge"],
  ["c5 c5d", "large xlarge 2xlarge 4xlarge 9xlarge 18xlarge"],
  ["p2", "xlarge 8xlarge 16xlarge"],
  ["p3", "2xlarge 8xlarge 16xlarge"],
  ["g4dn", "xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge"],
  ["g5 g6 g6e", G],
  ["g7 g7e", "2xlarge 4xlarge 8xlarge 12xlarge 24xlarge 48xlarge"],
  ["inf1", "xlarge 2xlarge 6xlarge 24xlarge"],
  ["inf2", "xlarge 8xlarge 24xlarge 48xlarge"],
  ["c6i m6i r6i c6in", `${TO_16} 24xlarge 32xlarge`],
  ["m7i c7i r7i", `${TO_16} 24xlarge 48xlarge`],
  ["c7g m6g m6gd c6g c6gd c6gn r6g r6gd", TO_16],
  ["r7gd", `medium ${TO_16}`],
  ["r8g c8g m8g", `medium ${TO_16} 24xlarge 48xlarge`],
  ["dl1 p4d p4de", "24xlarge"],
  ["trn1", "2xlarge 32xlarge"],
  ["trn1n", "32xlarge"],
  ["p5", "4xlarge 48xlarge"],
  ["trn2 p5e p5en p6-b200 p6-b300", "48xlarge"],
  ["p6e-gb200", "36xlarge"],
];

/** All of them: `ml.m5.large`. */
export const HOSTING_INSTANCE_TYPES: readonly string[] = OF_ENDPOINTS.flatMap(([families, sizes]) =>
  families.split(" ").flatMap((family) => sizes.split(" ").map((size) => `ml.${family}.${size}`))
);

const M5 = "large xlarge 2xlarge 4xlarge 12xlarge 24xlarge";
const I6 = "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge";

/** Sizes that both kinds of jobs have. */
const OF_JOBS: Readonly<Record<string, string>> = {
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

/** Those of transforms, in the sizes of endpoints but for two: none of Graviton. */
const OF_TRANSFORMS = "m4 m5 m6i m7i c4 c5 c6i c7i r6i r7i p2 p3 g4dn g5 g6 g6e trn1 inf2"
  .split(" ");
const NOT_OF_TRANSFORMS = ["ml.c4.large", "ml.c5.large"];

/** All types that a kind of job may have. */
export const INSTANCE_TYPES = {
  training: typesOf({ ...OF_JOBS, ...OF_TRAININGS }),
  processing: typesOf(OF_JOBS),
  transform: HOSTING_INSTANCE_TYPES.filter((type) =>
    OF_TRANSFORMS.includes(type.split(".")[1]!) && !NOT_OF_TRANSFORMS.includes(type)
  ),
};

function typesOf(families: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(families).flatMap(([family, sizes]) =>
    sizes.split(" ").map((size) => `ml.${family}.${size}`)
  );
}
