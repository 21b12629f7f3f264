import { assertEquals } from "@std/assert";
import { architectureOf, isAccelerated } from "../../../runtime/contract/instance_types.ts";
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
