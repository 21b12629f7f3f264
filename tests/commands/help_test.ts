import { assertEquals, assertStringIncludes } from "@std/assert";
import { helpText } from "../../commands/render/help.ts";
import { root } from "../../commands/root.ts";
import { type Topic, topicOf } from "../../commands/topic.ts";
import { runProgram } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";
import { runOnTerminal } from "../helpers/terminal.ts";

/** The topics of all commands. */
async function topics(names: readonly string[] = []): Promise<readonly Topic[]> {
  const topic = await topicOf(root, names);
  const below = (topic.members ?? []).map(([name]) => topics([...names, name]));
  return [topic, ...(await Promise.all(below)).flat()];
}

async function helps(): Promise<readonly (readonly [path: string, text: string])[]> {
  return (await topics()).map((topic) =>
    [topic.path, helpText(topic, { columns: 80, colour: false })] as const
  );
}

suite("the help", () => {
  it("fits a terminal of 80 columns, of every command", async () => {
    for (const [path, text] of await helps()) {
      assertEquals(text.split("\n").filter((line) => line.length > 80), [], path);
    }
  });

  it("has each form of an option once", async () => {
    for (const { path, options } of await topics()) {
      const forms = options.flatMap(([flag, { short }]) =>
        short === undefined ? flag : [flag, short]
      );
      assertEquals(forms.length, new Set(forms).size, path);
    }
  });

  it("begins with what is required, in groups, and ends with what every command has", async () => {
    const text = new Map(await helps()).get("mlcli train")!;
    const headings = [...text.matchAll(/^([A-Z].*):$/gm)].map(([, heading]) => heading);
    assertEquals(headings, [
      "Required",
      "Options",
      "Resources",
      "AWS",
      "This machine",
      "Global",
      "Examples",
    ]);
    const required = text.slice(text.indexOf("Required:"), text.indexOf("Options:"));
    for (const flag of ["--input-s3-dir", "--ec2-type", "--execution-role"]) {
      assertStringIncludes(required, flag);
    }
  });

  it("is shown by a pager where it is longer than the terminal", async () => {
    const args = ["local", "train", "--help"];
    const paged = await runOnTerminal(args, "/", "", 80, {
      MLCLI_PAGER: "sed 's/^/| /'",
    });
    const lines = paged.screen.trimEnd().split("\r\n");
    assertEquals([paged.code, lines.filter((line) => !line.startsWith("| "))], [0, []]);
    for (const pager of ["cat", "/nonexistent/less", "/etc/passwd"]) {
      const { code, screen } = await runOnTerminal(args, "/", "", 80, { MLCLI_PAGER: pager });
      assertEquals(code, 0);
      assertStringIncludes(screen, "Train the model locally\r\n");
      assertStringIncludes(screen, "Train on other data\r\n");
    }
    const short = await runOnTerminal(["config", "get", "--help"], "/", "", 80, {
      MLCLI_PAGER: "false",
    });
    assertStringIncludes(short.screen, "Usage:");
    assertEquals((await runProgram(args, { cwd: "/", env: { PAGER: "false" } })).code, 0);
  });
});
