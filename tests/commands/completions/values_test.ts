import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { completionValues } from "../../../commands/completions/values.ts";
import type { CompletionKind } from "../../../commands/options/option.ts";
import { completeApp } from "../../helpers/app.ts";
import { commandTopics } from "../../helpers/command_paths.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { fakeContext } from "../../helpers/fake_context.ts";
import { type Answers, type FakeEngine, fakeEngine, pong } from "../../helpers/fake_engine.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Completion of the value of an option, in each command that has the option. */
const COMPLETIONS: Readonly<Record<string, CompletionKind>> = {
  "--app-name": "app",
  "--aws-credentials": "profile",
  "--docker-tag": "image-tag",
  "--ec2-type": "instance-type",
  "--file": "script",
  "--network": "network",
  "--port": "server-port",
  "--profile": "profile",
  "--region": "region",
  "--run": "model-run",
};

/** Options of a command whose values have no completion. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "local deploy --port": "it is the port of a new server",
  "local ui --port": "it is the port of the page",
  "doctor --port": "it is the port of a new server",
};

suite("what options complete", () => {
  it("an option completes the same values in each command", async () => {
    const options = (await commandTopics()).flatMap(({ path, options }) =>
      options.flatMap(([flag, option]) =>
        option.value === undefined
          ? []
          : [{ flag, name: `${path.replace("mlcli ", "")} ${flag}`, completion: option.completion }]
      )
    );
    const wrong = options.filter(({ flag, name, completion }) =>
      completion !== (name in EXCEPTIONS ? undefined : COMPLETIONS[flag])
    );
    assertEquals(wrong, []);
    const names = new Set(options.map(({ name }) => name));
    assertEquals(Object.keys(EXCEPTIONS).filter((name) => !names.has(name)), []);
    const flags = new Set<string>(options.map(({ flag }) => flag));
    assertEquals(Object.keys(COMPLETIONS).filter((flag) => !flags.has(flag)), []);
  });
});

/** Returns the values for a script, and the calls of the engine. */
async function values(
  kind: CompletionKind,
  answers: Answers,
): Promise<readonly [values: readonly string[], calls: FakeEngine["calls"], app: string]> {
  await using app = await completeApp({ configuration: { image_name: "team/demo" } });
  await using engine = await fakeEngine({ "GET /_ping": () => pong("1.41"), ...answers });
  const host = `unix://${engine.socket}`;
  const env = (name: string) => name === "DOCKER_HOST" ? host : undefined;
  const found = await completionValues(kind, fakeContext({ cwd: app.directory, env }));
  return [found, engine.calls, app.name];
}

suite("the values that there are", () => {
  it("of a tag: those of the app's images, each once", async () => {
    const images = [
      { RepoTags: ["team/demo:v2", "localhost:5000/team/demo:v2"] },
      { RepoTags: null },
      { RepoTags: ["team/demo:latest"] },
    ];
    const [tags, calls] = await values("image-tag", {
      "GET /images/json": () => Response.json(images),
    });
    assertEquals(tags, ["latest", "v2"]);
    const asked = calls.filter(({ call }) => call === "GET /images/json");
    assertEquals(asked.map(({ query }) => query["filters"]), ['{"reference":["team/demo"]}']);
  });

  it("of a port: those of servers of mlcli", async () => {
    const server = (port: number, name: string) => ({
      Id: String(port),
      Names: [`/${name}`],
      Labels: { "mlcli.app": "a", "mlcli.role": "serve", "mlcli.port": String(port) },
    });
    const containers = [server(8081, "mlcli-a-serve-8081"), server(8082, "somebodys")];
    const [ports] = await values("server-port", {
      "GET /containers/json": () => Response.json(containers),
    });
    assertEquals(ports, ["8081"]);
  });

  it("of a network: those of the engine", async () => {
    const [networks] = await values("network", {
      "GET /networks": () => Response.json([{ Name: "none" }, { Name: "db" }, { Name: "host" }]),
    });
    assertEquals(networks, ["db", "host", "none"]);
  });

  it("completes a run with the names in the list, the newest first", async () => {
    await using app = await completeApp();
    for (const [name, minute] of [["churn-a", "01"], ["shop-b", "02"], ["bad\n", "03"]]) {
      await app.write(
        app.path("local_test/jobs", name!, "job.json"),
        JSON.stringify({ app: "shop", kind: "train", started: `2026-03-01T09:${minute}:00Z` }),
      );
    }
    const context = fakeContext({ cwd: app.directory });
    assertEquals(await completionValues("local-job", context), ["b", "churn-a"]);
  });

  it("of --run: last and the runs that have a model, the newest first", async () => {
    await using app = await completeApp();
    const context = fakeContext({ cwd: app.directory });
    const record = async (name: string, minute: number, status: string): Promise<void> => {
      const started = `2026-03-01T09:0${minute}:00Z`;
      const text = JSON.stringify({ app: "shop", kind: "train", started, outcome: { status } });
      await app.write(app.path("local_test/jobs", name, "job.json"), text);
    };
    await record("without", 1, "Completed");
    assertEquals(await completionValues("model-run", context), []);
    await record("older", 2, "Completed");
    await record("shop-newer", 3, "Stopped");
    await record("failed", 4, "Failed");
    for (const name of ["older", "shop-newer", "failed"]) {
      await app.write(app.path("local_test/jobs", name, "model/model.bin"), "");
    }
    assertEquals(await completionValues("model-run", context), ["last", "newer", "older"]);
    // Not those of another directory, to which a repository's link leads.
    await using other = await makeDirectory();
    await Deno.rename(app.path("local_test/jobs"), join(other.path, "jobs"));
    await Deno.symlink(join(other.path, "jobs"), app.path("local_test/jobs"));
    assertEquals(await completionValues("model-run", context), []);
  });

  it("of a profile: those of both files, each once, wherever variables say they are", async () => {
    await using home = await makeDirectory({
      ".aws/config": "[default]\n[profile work]\nregion = eu-west-1\n[sso-session s]\n",
      ".aws/credentials": "[work]\n[keys]\n",
      "other/config": "[profile other]\n",
    });
    const profiles = (variables: Readonly<Record<string, string>>): Promise<readonly string[]> =>
      completionValues("profile", fakeContext({ env: (name) => variables[name] }));
    assertEquals(await profiles({ HOME: home.path }), ["default", "keys", "work"]);
    const AWS_CONFIG_FILE = join(home.path, "other/config");
    assertEquals(await profiles({ HOME: home.path, AWS_CONFIG_FILE }), ["keys", "other", "work"]);
    const AWS_SHARED_CREDENTIALS_FILE = join(home.path, "none");
    assertEquals(await profiles({ AWS_CONFIG_FILE, AWS_SHARED_CREDENTIALS_FILE }), ["other"]);
    // A directory, which cannot be read.
    assertEquals(await profiles({ AWS_CONFIG_FILE: home.path }), []);
  });

  it("of an app and of a script, for which no engine is asked", async () => {
    const [apps, calls, name] = await values("app", {});
    assertEquals([apps, calls], [[name], []]);
    const [scripts, others] = await values("script", {});
    assertEquals([scripts, others], [["p.py"], []]);
  });

  it("are none where the engine refuses", async () => {
    const refuse = () => new Response(null, { status: 500 });
    const [tags] = await values("image-tag", { "GET /images/json": refuse });
    const [ports] = await values("server-port", { "GET /containers/json": refuse });
    assertEquals([tags, ports], [[], []]);
  });
});
