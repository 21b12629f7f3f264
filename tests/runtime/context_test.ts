import { assert, assertEquals } from "@std/assert";
import { liveContext } from "../../runtime/context.ts";
import type { AwsSettings } from "../../runtime/aws/settings.ts";
import { it, suite } from "../helpers/suite.ts";

function settings(region: string): AwsSettings {
  return { region: { value: region, source: "--region" }, profile: undefined, role: undefined };
}

suite("the context", () => {
  it("has a platform for each of the settings, and one for equal ones", async () => {
    using context = liveContext();
    const one = await context.sagemaker(settings("eu-west-1"));
    const other = await context.sagemaker(settings("us-east-1"));
    assertEquals([one.region.value, other.region.value], ["eu-west-1", "us-east-1"]);
    assert(await context.sagemaker(settings("eu-west-1")) === one);
  });
});
