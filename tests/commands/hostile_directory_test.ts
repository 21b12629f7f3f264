import { assertEquals, assertStringIncludes } from "@std/assert";
import { runCloud } from "../helpers/cloud.ts";
import { namesIn } from "../helpers/directory.ts";
import { Box } from "../helpers/box/box.ts";
import { HOSTILE, makeHostileDirectory } from "../helpers/hostile_directory.ts";
import { runProgram } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

suite("in a directory with configuration for Deno, npm and Node", () => {
  it("list-endpoints takes none of it", async () => {
    await using hostile = await makeHostileDirectory();
    await using aws = await Box.open();
    const before = await namesIn(hostile.path);
    const result = await runCloud(aws, ["list-endpoints"], { cwd: hostile.path });
    assertEquals(result, { code: 0, stdout: "", stderr: "" });
    assertEquals(aws.requests.map(({ operation }) => operation), ["ListEndpoints"]);
    assertEquals(await namesIn(hostile.path), before);
  });

  it("local status takes none of it", async () => {
    await using hostile = await makeHostileDirectory();
    const before = await namesIn(hostile.path);
    const { code, stdout, stderr } = await runProgram(["local", "status"], {
      cwd: hostile.path,
      env: { DOCKER_HOST: `unix://${hostile.path}/there-is-none` },
    });
    assertEquals([code, stdout, stderr.includes(HOSTILE)], [1, "", false]);
    assertStringIncludes(stderr, "error: Cannot connect to a Docker Engine\n");
    assertEquals(await namesIn(hostile.path), before);
  });
});
