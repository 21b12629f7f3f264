import { assertEquals } from "@std/assert";
import { closest } from "../../../runtime/app/closest.ts";
import { it, suite } from "../../helpers/suite.ts";

const NAMES = ["ec2_type", "instance_count", "spot", "tag", "execution_role", "s3_prefix", "train"];

const CASES: readonly (readonly [written: string, meant: string | undefined])[] = [
  ["ec2-type", "ec2_type"],
  ["EC2Type", "ec2_type"],
  ["ec2_typ", "ec2_type"],
  ["e2c_type", "ec2_type"],
  ["instanceCount", "instance_count"],
  ["instances_count", "instance_count"],
  ["exceution_roles", "execution_role"],
  ["exec_role", undefined],
  ["sopt", "spot"],
  ["tags", "tag"],
  ["stop", undefined],
  ["trian", "train"],
  ["name", undefined],
  ["version", undefined],
  ["", undefined],
  ["x".repeat(100_000), undefined],
];

suite("the closest name", () => {
  for (const [written, meant] of CASES) {
    it(`to "${written.slice(0, 20)}" is ${meant}`, () => {
      assertEquals(closest(written, NAMES), meant);
    });
  }
});
