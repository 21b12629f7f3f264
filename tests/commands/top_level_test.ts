import { assert, assertEquals } from "@std/assert";
import deleteEndpoint from "../../commands/cloud/delete_endpoint.ts";
import stop from "../../commands/local/stop.ts";
import { optionsOf } from "../../commands/options/option.ts";
import { root } from "../../commands/root.ts";
import { main } from "../../main.ts";
import { COMMANDS, commandsWith } from "../helpers/command_lines.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { fakeContainers } from "../helpers/fake_containers.ts";
import { completeApp, makeApp } from "../helpers/app.ts";
import { runInProcess } from "../helpers/in_process.ts";
import { it, suite } from "../helpers/suite.ts";

async function said(args: readonly string[]): Promise<[number, string, string]> {
  const context = fakeContext();
  const code = await main(args, context);
  return [code, context.out.text, context.err.text];
}

/** Names of commands below a heading of the help. */
function below(heading: string, help: string): readonly string[] {
  const [, section = ""] = help.split(`${heading}:\n`);
  return [...section.split("\n\n")[0]!.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name!);
}

suite("the top level", () => {
  it("mlcli --help separates local commands from commands that cost money", async () => {
    const [code, help] = await said(["--help"]);
    assertEquals(code, 0);
    const sections = [
      "On this machine",
      "On SageMaker (costs money)",
      "Jobs and endpoints on SageMaker",
    ];
    const members = Object.entries(root.commands);
    for (const heading of sections) {
      const names = members.filter(([, member]) => member.heading === heading).map(([name]) =>
        name
      );
      assertEquals(below(heading, help), names);
    }
    const listed = sections.flatMap((heading) => below(heading, help));
    assertEquals(listed, members.map(([name]) => name));
    // An instance costs money.
    for (const name of await commandsWith("--ec2-type")) {
      assert(below("On SageMaker (costs money)", help).includes(name), name);
    }
  });

  for (
    const [name, hint] of [
      ["invoke", /^On this machine, use mlcli local invoke/],
      [
        "stop",
        /^On this machine, use mlcli local stop\. On SageMaker, use .*mlcli delete-endpoint\.$/,
      ],
      [
        "status",
        /^On this machine, use mlcli local status\. On SageMaker, use .*mlcli list-endpoints\.$/,
      ],
      ["nothing", /^See mlcli --help$/],
      ["constructor", /^See mlcli --help$/],
    ] as const
  ) {
    it(`answers mlcli ${name} with what both halves have`, async () => {
      const [code, out, err] = await said([name]);
      const [error, hinted = ""] = err.split("\nhint: ");
      assertEquals([code, out, error], [2, "", `error: Unknown command "${name}"`]);
      assert(hint.test(hinted.trimEnd()), hinted);
      // Each named command exists.
      for (const [, word = ""] of hinted.matchAll(/mlcli (?!local|--)([\w-]+)/g)) {
        assert(Object.hasOwn(root.commands, word), word);
      }
    });
  }

  it("mlcli accepts --docker-tag before any command, and help shows it only where it has an effect", async () => {
    const tagged = await said(["-t", "v2", "train", "--help", "all"]);
    assertEquals(tagged, await said(["train", "--help", "all"]));
    assert(tagged[1].includes("--docker-tag"));
    const withTag = await commandsWith("--docker-tag");
    for (const name of COMMANDS.filter((name) => name.startsWith("local "))) {
      const words = name.split(" ");
      const [code, help] = await said(["--docker-tag", "v2", ...words, "--help", "all"]);
      const after = await said([...words, "-t", "v3", "--help", "all"]);
      assertEquals([code, help], [0, after[1]]);
      assertEquals(help.includes("docker-tag"), withTag.includes(name), name);
    }
    assertEquals((await said(["-t", "v2", "list-endpoints"]))[0], 2);
  });

  it("hands a tag before the command to it, in both halves", async () => {
    await using app = await completeApp();
    await using engine = await fakeContainers({ program: ({ end }) => end(0) });
    const lines = [
      [["-t", "v2", "local", "train"], {}],
      [["local", "-t", "v2", "train"], {}],
      [["local", "train", "-t", "v2"], {}],
      [["local", "train"], { MLCLI_DOCKER_TAG: "v2" }],
      [["-t", "v2", "local", "train"], { MLCLI_DOCKER_TAG: "v3" }],
    ] as const;
    for (const [args, env] of lines) {
      await runInProcess(args, { cwd: app.directory, engine, env });
    }
    const tags = engine.callsOf("POST /containers/create").map(({ body }) =>
      (body as { readonly Image: string }).Image
    );
    assertEquals(tags, lines.map(() => `${app.name}:v2`));
  });

  it("commands read MLCLI_APP_NAME to choose an app, but not to delete something", async () => {
    await using app = await makeApp();
    const env = { MLCLI_APP_NAME: "other" };
    const options = { cwd: app.directory, env };
    const trained = await runInProcess(["local", "train"], options);
    assert(
      trained.stderr.includes(`Use an app in this directory: ${app.name}`),
      trained.stderr,
    );
    const own = await runInProcess(["local", "train", "-a", app.name], options);
    assert(!own.stderr.includes("other.json"), own.stderr);
    for (const { options } of [deleteEndpoint, stop]) {
      for (const [flag, option] of optionsOf(options)) {
        // Two options do not choose what is deleted: `--progress`, and the role that mlcli assumes.
        if (option.value === undefined || ["--progress", "--iam-role-arn"].includes(flag)) continue;
        assertEquals(option.variable, undefined, flag);
      }
    }
  });

  it("reads MLCLI_PORT and MLCLI_OUTPUT", async () => {
    await using engine = await fakeContainers({});
    const run = async (args: readonly string[], env: Record<string, string>) =>
      await runInProcess(args, { cwd: "/", engine, env });
    const wrong = { MLCLI_PORT: "x" };
    for (const name of ["invoke", "logs", "deploy"]) {
      const { code, stderr } = await run(["local", name], wrong);
      assertEquals([code, stderr.startsWith("error: MLCLI_PORT must be a number")], [2, true]);
    }
    // What is removed is named on the command line.
    assertEquals((await run(["local", "stop"], wrong)).stderr.includes("MLCLI_PORT"), false);
    assertEquals((await run(["local", "status"], { MLCLI_OUTPUT: "json" })).stdout, "[]\n");
    assertEquals((await run(["local", "status"], { MLCLI_OUTPUT: "xml" })).code, 2);
  });
});
