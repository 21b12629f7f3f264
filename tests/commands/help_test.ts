import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { NamedOption } from "../../commands/options/option.ts";
import { commonOptions, type HelpLevel, helpText } from "../../commands/render/help.ts";
import { root } from "../../commands/root.ts";
import { topicsBelow } from "../../commands/topic.ts";
import { runProgram } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";
import { runOnTerminal } from "../helpers/terminal.ts";

const STYLE = { columns: 80, colour: false };

async function helps(
  level: HelpLevel,
): Promise<readonly (readonly [path: string, text: string])[]> {
  return (await topicsBelow(root)).map((topic) =>
    [topic.path, helpText(topic, STYLE, level)] as const
  );
}

suite("the help", () => {
  it("fits a terminal of 80 columns, of every command", async () => {
    for (const [path, text] of await helps("all")) {
      assertEquals(text.split("\n").filter((line) => line.length > 80), [], path);
    }
  });

  it("has each form of an option once", async () => {
    for (const { path, options } of await topicsBelow(root)) {
      const forms = options.flatMap(([flag, { short }]) =>
        short === undefined ? flag : [flag, short]
      );
      assertEquals(forms.length, new Set(forms).size, path);
    }
  });

  it("the help groups the options, and begins with the required ones", async () => {
    const text = new Map(await helps("all")).get("mlcli train")!;
    const headings = [...text.matchAll(/^([A-Z].*):$/gm)].map(([, heading]) => heading);
    assertEquals(headings, [
      "Required",
      "Options",
      "Your app and image",
      "Resources",
      "AWS",
      "Results",
      "Global",
      "Examples",
    ]);
    const required = text.slice(text.indexOf("Required:"), text.indexOf("Options:"));
    for (const flag of ["--input-s3-dir", "--ec2-type", "--execution-role"]) {
      assertStringIncludes(required, flag);
    }
  });

  it("the help lists at most 15 options, including all required ones, and counts the others", async () => {
    for (const topic of await topicsBelow(root)) {
      const common = commonOptions(topic.options);
      assert(common.length <= 15, `${topic.path}: ${common.length}`);
      const left = topic.options.filter((option) => !common.includes(option));
      const isNeeded = ([, option]: NamedOption) =>
        option.value !== undefined && (option.required || option.needed);
      assertEquals(left.filter((named) => isNeeded(named) || !named[1].rare), [], topic.path);
      const line = `\n${left.length} more options: ${topic.path} --help all\n`;
      assertEquals(helpText(topic, STYLE, "common").includes(line), left.length > 0, topic.path);
    }
  });

  it("--help all lists all options", async () => {
    for (const all of [["--help", "all"], ["-h", "all"]]) {
      const { code, stdout } = await runProgram(["local", "train", ...all], { cwd: "/" });
      assertEquals(code, 0);
      for (const form of ["--kill-host", "--debug"]) assertStringIncludes(stdout, form);
      assertEquals(stdout.includes("more options"), false);
    }
  });

  it("is shown by a pager where it is longer than the terminal", async () => {
    const args = ["local", "train", "--help", "all"];
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
