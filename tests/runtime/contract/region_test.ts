import { assertEquals } from "@std/assert";
import { REGION } from "../../../runtime/contract/region.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the form of a region", () => {
  // One of each partition (botocore 1.44.5, `data/partitions.json`).
  const regions = [
    ...["eu-west-1", "ap-southeast-7", "mx-central-1", "cn-northwest-1", "us-gov-west-1"],
    ...["us-iso-east-1", "us-isob-east-1", "eu-isoe-west-1", "us-isof-south-1", "eusc-de-east-1"],
  ];
  for (const region of regions) {
    it(`REGION accepts ${region}`, () => assertEquals(REGION.test(region), true));
  }

  const others = [
    // An availability zone: https://github.com/cloudavail/aws-missing-tools/issues/97,
    // https://github.com/aws/chalice/issues/89
    ...["ap-southeast-1a", "us-east-1a"],
    // https://github.com/ionic-team/ionic2-starter-aws/issues/35
    "US_EAST_1",
    // A local zone: https://github.com/aws/aws-cli/pull/10374
    "us-west-2-lax-1",
    ...["EU-west-1", "euwest1", "eu-west", "eu--west-1", "Ireland", "aws-global", "local", "7", ""],
    ...[" eu-west-1", "eu-west-1 ", "eu-west-1\n", "eu.west-1", "eu/west-1", "evil.test#", "a@b"],
  ];
  for (const text of others) {
    it(`REGION refuses ${JSON.stringify(text)}`, () => assertEquals(REGION.test(text), false));
  }
});
