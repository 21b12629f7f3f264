/**
 * What mlcli computes on Windows, as JSON: run by itself, before any module has asked which system
 * this is. Only what touches no file can be asked for here.
 */

import type { App } from "../../runtime/app/app.ts";
import type { Paths } from "../../runtime/app/paths.ts";
import type { Hosts } from "../../runtime/local/jobs.ts";

async function main(): Promise<void> {
  Object.defineProperty(Deno, "build", { value: { ...Deno.build, os: "windows" } });
  const { appObject } = await import("./app_object.ts");
  const { withTag } = await import("../../runtime/app/app.ts");
  const { parseIgnoreRules } = await import("../../runtime/app/ignore_rules.ts");
  const { configFolder } = await import("../../runtime/docker/locate.ts");
  const plans = await import("../../runtime/local/plan.ts");
  const app: App = withTag(appObject("C:\\Users\\me", "demo"), "v1");
  const layout = app.paths;
  const { ONE_HOST } = await import("../../runtime/local/jobs.ts");
  const { body } = trainingOf(app, layout, ONE_HOST, plans.trainPlan);
  const rules = await parseIgnoreRules("demo\\notes\nlogs\\*.txt\n!logs/kept.txt");
  const ignored = ["demo/notes/a", "logs/a.txt", "logs/kept.txt", "demo/a"]
    .filter((path) => rules.ignores(path));
  const home = (name: string) => name === "USERPROFILE" ? "C:\\Users\\me" : undefined;
  const report = {
    mounts: body.HostConfig.Mounts.map(({ Source, Target }) => [Source, Target]),
    variables: (body.Env ?? []).filter((one) => one.includes("\\")),
    ignored,
    configuration: configFolder(home),
  };
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(report)));
}

function trainingOf(
  app: App,
  layout: Paths,
  hosts: Hosts,
  plan: typeof import("../../runtime/local/plan.ts").trainPlan,
): { readonly body: ReturnType<typeof plan> } {
  const job = {
    ...{
      app,
      dockerTag: "v1",
      memory: undefined,
      cpus: undefined,
      shmSize: undefined,
      gpus: undefined,
    },
    ...{ network: undefined, allowPrivileges: false, variables: {}, strict: false },
    ...{ interactive: false, grace: undefined, copyInputs: false, hosts, publish: [] },
    ...{ hyperparameter: [], inputs: [] },
    ...{ stopAfter: undefined, checkpoints: true, networkSettings: true },
    images: {
      requireTrusted: () => Promise.resolve("person" as const),
      login: () => Promise.resolve(undefined),
    },
    program: { code: undefined, launcher: undefined, command: [], arguments: [] },
  };
  const planned = {
    ...{ region: "eu-west-1", name: "mlcli-demo-train-1", jobName: "demo-1", withInit: false },
    ...{
      codeFolder: layout.training,
      commonFolder: undefined,
      reportFile: "C:\\Temp\\report",
    },
    ...{ inputFolder: "C:\\Temp\\input", inputs: [], pip: undefined },
    folders: layout,
    launch: { entrypoint: undefined, arguments: undefined, hyperparameters: {} },
  };
  return { body: plan(job, planned) };
}

if (import.meta.main) main();
