import { assertEquals, assertMatch } from "@std/assert";
import cloudGroup from "../../commands/cloud/cloud.ts";
import { runCloud } from "../helpers/cloud.ts";
import {
  CLOUD_COMMANDS,
  type CommandName,
  COMMANDS,
  fails,
  lineOf,
  openStage,
  type Stage,
  wordsOf,
} from "../helpers/command_lines.ts";
import { commandPaths } from "../helpers/command_paths.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

suite("each command, as a program", () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(async () => await stage?.[Symbol.asyncDispose]());

  for (const name of COMMANDS) {
    it(`mlcli ${name} runs as a program`, async () => {
      const { socket = "/nonexistent.sock" } = stage.engineOf(name) ?? {};
      const { code, stdout, stderr } = await runCloud(stage.box, stage.filled(wordsOf(name)), {
        cwd: stage.app.directory,
        env: { DOCKER_HOST: `unix://${socket}` },
      });
      assertEquals(code !== 0, fails(name), stderr);
      assertMatch(fails(name) ? stderr : stdout, lineOf(name).prints);
    });
  }

  it("each command has a row in tests/helpers/command_lines.ts", async () => {
    const commands = (await commandPaths()).map((names) => names.join(" "));
    const without = commands.filter((name) => !COMMANDS.includes(name as CommandName));
    assertEquals(without, [], "Add a row to COMMAND_LINES for each of these commands");
    const gone = COMMANDS.filter((name) => !commands.includes(name));
    assertEquals(gone, [], "Remove the rows of these commands from COMMAND_LINES");
  });

  it("the tests of all cloud commands cover each command that runs on SageMaker", () => {
    assertEquals(CLOUD_COMMANDS.toSorted(), Object.keys(cloudGroup.commands).toSorted());
  });
});
