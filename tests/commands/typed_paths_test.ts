/** Every option and argument that names a file or a directory, with a link that leads out. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Topic } from "../../commands/topic.ts";
import { commandTopics } from "../helpers/command_paths.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { makeJobApp } from "../helpers/job_app.ts";
import { it, suite } from "../helpers/suite.ts";

/** Values of other options that a command requires. */
const REQUIRED: Readonly<Record<string, string>> = {
  "--endpoint-name": "shop",
  "--image": "team/torch:2",
  "--input": "rows.csv",
  "--input-dir": "rows.csv",
  "<job>": "churn",
  "<job-or-uri>": "churn",
};

/** Values that hold more than a path. */
const FORMS: Readonly<Record<string, (path: string) => string>> = {
  "local train --input": (path) => `training=${path}`,
  "local process --output-dir": (path) => `report=${path}`,
};

/** Options whose help speaks of a file or a directory, and whose value is something else. */
const NO_PATHS = [
  "--app-name",
  "--content-type",
  "--input-s3-location",
  "--output-s3-location",
  "--split",
];

/** Returns a command line that names a path. */
type Line = (path: string) => readonly string[];

/** Returns a command line for each path that a command takes from the user. */
function linesOf({ path, options, arguments: args }: Topic): readonly Line[] {
  const command = path.replace(/^mlcli /, "");
  const named = [...options.filter(([flag]) => flag !== "--directory"), ...args];
  return named.filter(([, option]) => "path" in option && option.path !== "inner").map(
    ([form, own]) => {
      const onlyWith = "onlyWith" in own ? own.onlyWith : undefined;
      const others = named.filter(([other, option]) =>
        other !== form && (other.startsWith("<") || "required" in option || other === onlyWith)
      ).flatMap(([other]) => [...other.startsWith("--") ? [other] : [], REQUIRED[other]!]);
      const write = FORMS[`${command} ${form}`] ?? ((path: string) => path);
      return (typed) => [
        ...command.split(" "),
        ...others,
        form.startsWith("--") ? `${form}=${write(typed)}` : write(typed),
      ];
    },
  );
}

async function allLines(): Promise<readonly Line[]> {
  const byDirectory: Line = (path) => ["-C", path, "local", "train"];
  return [byDirectory, ...(await commandTopics()).flatMap(linesOf)];
}

suite("paths on the command line", () => {
  for (const isWorkTree of [true, false]) {
    const place = isWorkTree ? "a work tree" : "an app without a work tree";
    it(`are refused in each command if a link of ${place} leads them out`, async () => {
      await using job = await makeJobApp();
      await using outside = await makeDirectory({ "inner/": "" });
      const real = await Deno.realPath(outside.path);
      const { directory } = job.app;
      if (isWorkTree) await job.app.write(`${directory}/.git/HEAD`, "ref: refs/heads/main\n");
      await Deno.symlink(`${outside.path}/inner`, `${directory}/link`);
      await Deno.symlink(`${outside.path}/new`, `${directory}/dangling`);
      const lines = await allLines();
      assert(lines.length > 30, `${lines.length}`);
      const boundary = await Deno.realPath(directory);
      const typed = [
        { path: "link", target: `${real}/inner`, meant: `${real}/inner` },
        { path: "dangling/x", target: `${real}/new`, meant: `${real}/new/x` },
      ];
      for (const line of lines) {
        for (const { path, target, meant } of typed) {
          const { code, stdout, stderr } = await job.run(line(path));
          const [message, hint] = stderr.split("\n");
          assertEquals({ code, stdout, message, hint, asked: job.box.operations }, {
            code: 1,
            stdout: "",
            message: `error: ${path} points outside ${boundary}, to ${target}`,
            hint: `hint: Use the link's target: ${meant}`,
            asked: [],
          }, `mlcli ${line(path).join(" ")}\n${stderr}`);
        }
      }
      const left = await Array.fromAsync(Deno.readDir(outside.path), ({ name }) => name);
      assertEquals(left, ["inner"]);
      assertEquals(await Array.fromAsync(Deno.readDir(`${outside.path}/inner`)), []);
    });
  }

  it("are refused from any directory if a container planted a link on the way", async () => {
    await using job = await makeJobApp();
    await using secret = await makeDirectory({ "keys": "a secret" });
    const planted = job.app.testPath("output/data/rows.csv");
    await job.app.write(`${planted}.txt`, "");
    await Deno.symlink(`${secret.path}/keys`, planted);
    await using elsewhere = await makeDirectory({});
    const { code, stderr } = await job.run(["local", "invoke", planted], { cwd: elsewhere.path });
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /^error: .*rows\.csv points to .*, outside a directory that containers write to\n/,
    );
  });

  it("are checked by their readers alone if they are below the code or the app", async () => {
    const inner = new Set<string>();
    for (const topic of await commandTopics()) {
      for (const [form, option] of [...topic.options, ...topic.arguments]) {
        if ("path" in option && option.path === "inner") inner.add(form);
      }
    }
    assertEquals([...inner].sort(), ["--entry-point", "--file", "--requirements"]);
  });

  it("are declared for each option whose help speaks of a file or a directory", async () => {
    const undeclared = new Set<string>();
    for (const { options } of await commandTopics()) {
      for (const [flag, option] of options) {
        if ("path" in option || option.value === undefined) continue;
        const words = `${option.value} ${option.description}`;
        if (/\b(DIR|file|dir|path|director(y|ies))\b/.test(words)) undeclared.add(flag);
      }
    }
    assertEquals([...undeclared].sort(), NO_PATHS);
  });
});
