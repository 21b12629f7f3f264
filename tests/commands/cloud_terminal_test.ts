import { assertEquals, assertStringIncludes } from "@std/assert";
import { main } from "../../main.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { endpointNamed, memoryPlatform } from "../helpers/memory_platform.ts";
import { it, suite } from "../helpers/suite.ts";

const REGION_AND_PROFILE = ["--region", "eu-west-1", "--profile", "work"] as const;

suite("the cloud commands on a terminal", () => {
  it("list-endpoints names the region that has none", async () => {
    const platform = () => Promise.resolve(memoryPlatform());
    for (
      const [isTerminal, line] of [[true, "0 endpoints in eu-west-1 (AWS_REGION)\n"], [
        false,
        "",
      ]] as const
    ) {
      const context = fakeContext({ isTerminal, platform });
      assertEquals(await main(["list-endpoints", ...REGION_AND_PROFILE], context), 0);
      assertEquals([context.out.text, context.err.text], ["", line]);
    }
  });

  it("list-endpoints adds nothing when there are some", async () => {
    const platform = () => Promise.resolve(memoryPlatform({ churn: [endpointNamed("churn")] }));
    const context = fakeContext({ isTerminal: true, platform });
    assertEquals(await main(["list-endpoints", ...REGION_AND_PROFILE], context), 0);
    assertStringIncludes(context.out.text, "churn  InService  ");
    assertEquals(context.err.text, "");
  });

  it("delete-endpoint shows that it waits, and takes that away", async () => {
    const platform = () =>
      Promise.resolve(memoryPlatform({
        churn: [endpointNamed("churn"), endpointNamed("churn", { status: "Deleting" }), undefined],
      }));
    const context = fakeContext({ isTerminal: true, columns: 30, platform });
    const args = ["delete-endpoint", "-n", "churn", "--wait", ...REGION_AND_PROFILE];
    assertEquals(await main(args, context), 0);
    assertEquals(context.out.text, "churn\n");
    // Cut to the width: a longer line could not be taken away.
    assertEquals(context.err.text, "\rWaiting until churn is gone: \x1b[K\r\x1b[K");
  });

  it("delete-endpoint shows no progress where there is no terminal", async () => {
    const platform = () =>
      Promise.resolve(memoryPlatform({
        churn: [endpointNamed("churn"), endpointNamed("churn", { status: "Deleting" }), undefined],
      }));
    const context = fakeContext({ platform });
    const args = ["delete-endpoint", "-n", "churn", "--wait", ...REGION_AND_PROFILE];
    assertEquals(await main(args, context), 0);
    assertEquals([context.out.text, context.err.text], ["churn\n", ""]);
  });
});
