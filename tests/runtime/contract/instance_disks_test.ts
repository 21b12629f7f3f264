import { assertEquals } from "@std/assert";
import { hasOwnDisk } from "../../../runtime/contract/instance_disks.ts";
import { it, suite } from "../../helpers/suite.ts";

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
