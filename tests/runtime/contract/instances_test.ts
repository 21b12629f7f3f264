import { assertEquals } from "@std/assert";
import {
  architectureOf,
  hasOwnDisk,
  isAccelerated,
  roomFor,
} from "../../../runtime/contract/instances.ts";
import { it, suite } from "../../helpers/suite.ts";

/**
 * All families of `TrainingInstanceType`, `ProcessingInstanceType` and `ProductionVariantInstanceType`
 * in botocore 1.43.11 (`data/sagemaker/2017-07-24`), and some that EC2 has besides.
 */
const FAMILIES = {
  amd64:
    "c4 c5 c5d c5n c6i c6in c7i dl1 g4dn g5 g6 g6e g7e inf1 inf2 m4 m5 m5d m6i m7i p2 p3 p3dn " +
    "p4d p4de p5 p5e p5en p6-b200 p6-b300 r5 r5d r6i r7i t2 t3 trn1 trn1n trn2 x2iedn c7i-flex gr6",
  arm64: "c6g c6gd c6gn c7g c8g m6g m6gd m8g p6e-gb200 r6g r6gd r7gd r8g t4g x2gd g5g im4gn a1",
} as const;

suite("instance types", () => {
  for (const architecture of ["amd64", "arm64"] as const) {
    it(`run images for ${architecture}`, () => {
      const wrong = FAMILIES[architecture].split(" ").filter((family) =>
        architectureOf(`ml.${family}.xlarge`) !== architecture
      );
      assertEquals(wrong, []);
    });
  }

  it("have accelerators", () => {
    const all = [...FAMILIES.amd64.split(" "), ...FAMILIES.arm64.split(" ")];
    assertEquals(
      all.filter((family) => isAccelerated(`ml.${family}.xlarge`)).join(" "),
      "dl1 g4dn g5 g6 g6e g7e inf1 inf2 p2 p3 p3dn p4d p4de p5 p5e p5en p6-b200 p6-b300 trn1 trn1n " +
        "trn2 gr6 p6e-gb200 g5g",
    );
  });

  it("are known without ml., too; what is no type runs amd64", () => {
    assertEquals(["c7g.large", "m5.large", "local", ""].map(architectureOf), [
      "arm64",
      "amd64",
      "amd64",
      "amd64",
    ]);
  });
});

/** Source: EC2 user guide, "Instance store volumes", families with NVMe. */
const TYPES: readonly (readonly [type: string, has: boolean])[] = [
  ["ml.m5.large", false],
  ["ml.m5d.large", true],
  ["ml.m5dn.xlarge", true],
  ["ml.m6id.large", true],
  ["ml.c6gd.large", true],
  ["ml.m7i-flex.large", false],
  ["ml.t3.medium", false],
  ["ml.g4dn.xlarge", true],
  ["ml.g5.xlarge", true],
  ["ml.g6e.12xlarge", true],
  ["ml.p3.2xlarge", false],
  ["ml.p3dn.24xlarge", true],
  ["ml.p4d.24xlarge", true],
  ["ml.p4de.24xlarge", true],
  ["ml.p5en.48xlarge", true],
  ["ml.trn1.2xlarge", true],
  ["ml.inf2.xlarge", false],
  ["ml.r5.large", false],
  ["local", false],
];

suite("the disks of instances", () => {
  for (const [type, has] of TYPES) {
    it(`${type} has ${has ? "its" : "none of its"} own`, () => assertEquals(hasOwnDisk(type), has));
  }
});

suite("the room for a model", () => {
  for (
    const [instanceType, volumeSize, gigabytes, words] of [
      [undefined, undefined, 5, "a serverless endpoint"],
      ["ml.m5.large", undefined, 30, "ml.m5.large"],
      ["ml.c7g.xlarge", undefined, 30, "ml.c7g.xlarge"],
      ["ml.m5.large", 512, 512, "ml.m5.large"],
      ["ml.g5.xlarge", undefined, undefined, "ml.g5.xlarge"],
      ["ml.g4dn.xlarge", undefined, undefined, "ml.g4dn.xlarge"],
      ["ml.m5d.large", 30, undefined, "ml.m5d.large"],
      ["ml.g9.xlarge", undefined, undefined, "ml.g9.xlarge"],
      ["ml.p3.2xlarge", undefined, 30, "ml.p3.2xlarge"],
      ["ml.inf2.xlarge", 100, 100, "ml.inf2.xlarge"],
      ["its instances", undefined, undefined, "its instances"],
    ] as const
  ) {
    it(`${words}, ${volumeSize ?? "no"} volume: ${gigabytes ?? "unknown"} GB`, () => {
      const room = roomFor({ instanceType, volumeSize });
      assertEquals(
        [room.bytes, room.words],
        [gigabytes === undefined ? undefined : gigabytes * 1024 ** 3, words],
      );
    });
  }
});
