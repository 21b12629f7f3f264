import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { main } from "../../main.ts";
import type { AwsSettings } from "../../runtime/aws/settings.ts";
import { MlcliError } from "../../runtime/errors.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { it, suite } from "../helpers/suite.ts";

/** Runs a command line of a person whose settings lie in a directory: code, output, messages. */
async function said(line: string, place: string, env: Readonly<Record<string, string>> = {}) {
  const asked: AwsSettings[] = [];
  const context = fakeContext({
    cwd: place,
    env: (name) => ({ XDG_CONFIG_HOME: place, ...env })[name],
    aws: (settings) => {
      asked.push(settings);
      return Promise.reject(new MlcliError("No platform"));
    },
  });
  const code = await main(line.split(" "), context);
  return { code, out: context.out.text, err: context.err.text, asked: asked[0] };
}

suite("mlcli config", () => {
  it("writes, prints, lists and removes a setting", async () => {
    await using place = await makeDirectory({});
    const run = (line: string) => said(line, place.path);
    assertEquals((await run("config list")).out, "");
    const none = await run("config get region");
    assertEquals([none.code, none.out], [1, ""]);
    assertEquals(
      none.err,
      "error: region is not set\nhint: Set it: mlcli config set region VALUE\n",
    );
    for (const line of ["config set region eu-west-1", "config set trusted_registries a.io,b.io"]) {
      const { code, out, err } = await run(line);
      assertEquals([code, out, err], [0, "", ""]);
    }
    assertEquals((await run("config get region")).out, "eu-west-1\n");
    assertEquals((await run("config ls")).out, "region=eu-west-1\ntrusted_registries=a.io,b.io\n");
    assertEquals(JSON.parse((await run("config list --json")).out), {
      region: "eu-west-1",
      trusted_registries: ["a.io", "b.io"],
    });
    const file = join(place.path, "mlcli/config.json");
    assertEquals((await Deno.stat(file)).mode! & 0o777, 0o600);
    assertEquals((await run("config set region --unset")).code, 0);
    assertEquals(JSON.parse(await Deno.readTextFile(file)), {
      trusted_registries: ["a.io", "b.io"],
    });
  });

  it("keeps a link to a file that lies elsewhere", async () => {
    await using place = await makeDirectory({ "mine.json": "{}", "mlcli/.keep": "" });
    await Deno.symlink(join(place.path, "mine.json"), join(place.path, "mlcli/config.json"));
    assertEquals((await said("config set output json", place.path)).code, 0);
    const mine = JSON.parse(await Deno.readTextFile(join(place.path, "mine.json")));
    assertEquals(mine, { output: "json" });
  });

  for (
    const [line, code, message] of [
      ["config set region", 2, 'Expected either a value or --unset after "region"'],
      ["config set region x --unset", 2, 'Expected either a value or --unset after "region"'],
      ["config set colour x", 2, "keep_models, keep_models_size, output, profile, region or"],
      ["config set keep_models 0", 2, '"0" is not a valid value for keep_models'],
      ["config set keep_models_size 10", 2, '"10" is not a valid value for keep_models_size'],
      ["config set output xml", 2, '"xml" is not a valid value for output'],
    ] as const
  ) {
    it(`refuses: mlcli ${line}`, async () => {
      await using place = await makeDirectory({});
      const result = await said(line, place.path);
      assertEquals([result.code, result.out], [code, ""]);
      assertStringIncludes(result.err, message);
      assertEquals([...Deno.readDirSync(place.path)], []);
    });
  }

  it("says that a broken file cannot be used, where one of its settings is needed", async () => {
    await using place = await makeDirectory({ "mlcli/config.json": "{" });
    const { code, err } = await said("config list", place.path);
    assertEquals([code, err.split("\n")[0]], [
      1,
      `error: Cannot use your settings in ${place.path}/mlcli/config.json: it is not a JSON object`,
    ]);
    assertEquals((await said("--version", place.path)).code, 0);
  });
});

suite("the person's settings", () => {
  const SETTINGS = { output: "json", profile: "mine", region: "eu-north-1" };

  it("count where nothing else says anything", async () => {
    await using place = await makeDirectory({ "mlcli/config.json": JSON.stringify(SETTINGS) });
    const rows: readonly (readonly [line: string, env: Record<string, string>, said: string])[] = [
      ["list-jobs", {}, "mine (profile in mlcli config)"],
      ["list-jobs", { AWS_PROFILE: "shell" }, "shell (AWS_PROFILE)"],
      ["list-jobs --profile typed", { AWS_PROFILE: "shell" }, "typed (--profile)"],
    ];
    for (const [line, env, expected] of rows) {
      const { asked } = await said(line, place.path, env);
      assertEquals(`${asked!.profile!.value} (${asked!.profile!.where})`, expected);
      // The session asks the profile for a region before it takes this one.
      assertEquals([asked!.region, asked!.lastRegion?.value], [undefined, "eu-north-1"]);
    }
  });

  it("give the output's format below option and variable", async () => {
    await using place = await makeDirectory({ "mlcli/config.json": JSON.stringify(SETTINGS) });
    for (
      const [line, env, isJson] of [
        ["config list", {}, true],
        ["config list", { MLCLI_OUTPUT: "text" }, false],
        ["config list --output text", { MLCLI_OUTPUT: "json" }, false],
      ] as const
    ) {
      const { out } = await said(line, place.path, env);
      assertEquals(out.startsWith("{"), isJson, `${line} ${JSON.stringify(env)}`);
    }
  });
});
