import { assertEquals } from "@std/assert";
import type { LocalJob, ServingJob } from "../../../runtime/local/jobs.ts";
import {
  type PlannedTraining,
  processPlan,
  servePlan,
  trainPlan,
} from "../../../runtime/local/plan.ts";
import { initProbePlan, ownershipPlan } from "../../../runtime/local/service_plans.ts";
import type { CreateBody } from "../../../runtime/docker/engine.ts";
import { VERSION } from "../../../runtime/version.ts";
import { appObject } from "../../helpers/app_object.ts";
import { it, suite } from "../../helpers/suite.ts";

const JOB: LocalJob = {
  app: appObject("/home/me", "demo"),
  tag: "v1",
  memory: undefined,
  allowPrivileges: false,
};
const BASE = "/home/me/demo/mlcli_base";
const TEST = `${BASE}/local_test/test_dir`;

/** Mounts as `docker run -v` writes them. */
function mountsOf(body: CreateBody): string[] {
  return body.HostConfig.Mounts.map(({ Source, Target, ReadOnly }) =>
    `${Source}:${Target}${ReadOnly ? ":ro" : ""}`
  );
}

const TRAINING: PlannedTraining = {
  name: "mlcli-demo-train-1",
  withInit: false,
  configFolder: "/run/config",
  inputFolder: undefined,
  channels: [],
};
const train = trainPlan(JOB, TRAINING);
const process = processPlan(JOB, {
  name: "mlcli-demo-process-1",
  withInit: false,
  script: "steps/clean.py",
  configFolder: "/run/config",
  inputFolder: `${TEST}/input/data/processing`,
});
const SERVING: ServingJob = { ...JOB, port: 0, timeout: 1, allowedHosts: [] };
const SERVER = {
  name: "mlcli-demo-serve-9000",
  port: 9000,
  withInit: false,
  model: `${TEST}/model`,
};
const serve = servePlan({ ...SERVING, memory: 1024 }, SERVER);

suite("plans", () => {
  it("mount what the specification's table says", () => {
    assertEquals(mountsOf(train), [
      `${BASE}/training:/opt/ml/code:ro`,
      `${TEST}/input:/opt/ml/input:ro`,
      "/run/config:/opt/ml/input/config:ro",
      `${TEST}/model:/opt/ml/model`,
      `${TEST}/output:/opt/ml/output`,
    ]);
    assertEquals(mountsOf(process), [
      `${BASE}/processing:/opt/ml/code:ro`,
      "/run/config:/opt/ml/config:ro",
      `${TEST}/input:/opt/ml/input:ro`,
      `${TEST}/input/data/processing:/opt/ml/processing/input:ro`,
      `${TEST}/output:/opt/ml/processing/output`,
      `${TEST}/model:/opt/ml/model`,
      `${TEST}/output:/opt/ml/output`,
    ]);
    assertEquals(mountsOf(serve), [
      `${BASE}/prediction:/opt/ml/code:ro`,
      `${TEST}/model:/opt/ml/model:ro`,
    ]);
  });

  it("mount each channel by itself where the user named one", () => {
    const body = trainPlan(JOB, {
      ...TRAINING,
      inputFolder: "/run/input",
      channels: [{ name: "training", source: "/data/churn" }, {
        name: "x",
        source: `${TEST}/input/data/x`,
      }],
    });
    assertEquals(mountsOf(body).slice(1, 5), [
      "/run/input:/opt/ml/input:ro",
      "/run/config:/opt/ml/input/config:ro",
      "/data/churn:/opt/ml/input/data/training:ro",
      `${TEST}/input/data/x:/opt/ml/input/data/x:ro`,
    ]);
  });

  it("let no container gain privileges, make device nodes or processes without end", () => {
    for (const { HostConfig } of [train, process, serve]) {
      assertEquals(HostConfig.SecurityOpt, ["no-new-privileges"]);
      assertEquals([HostConfig.CapDrop, HostConfig.PidsLimit], [["MKNOD", "SETFCAP"], 32_768]);
      assertEquals(HostConfig.Init, undefined);
    }
    const allowed = servePlan({ ...SERVING, allowPrivileges: true }, {
      ...SERVER,
      withInit: true,
    });
    assertEquals([allowed.HostConfig.SecurityOpt, allowed.HostConfig.Init], [undefined, true]);
    assertEquals(allowed.HostConfig.CapDrop, ["MKNOD", "SETFCAP"]);
  });

  it("run the platform's command lines", () => {
    assertEquals(train.Cmd, ["train"]);
    assertEquals(process.Cmd, ["process", "steps/clean.py"]);
    assertEquals(serve.Cmd, ["serve"]);
  });

  it("label what they create", () => {
    const common = { "mlcli.app": "demo", "mlcli.port": "", "mlcli.version": VERSION };
    assertEquals(train.Labels, { ...common, "mlcli.role": "train" });
    assertEquals(process.Labels, { ...common, "mlcli.role": "process" });
    assertEquals(serve.Labels, { ...common, "mlcli.role": "serve", "mlcli.port": "9000" });
  });

  it("inherit none of mlcli's labels from the image", () => {
    const none = { "mlcli.app": "", "mlcli.role": "", "mlcli.port": "", "mlcli.version": VERSION };
    assertEquals(initProbePlan("demo:v1").Labels, none);
    assertEquals(ownershipPlan("demo:v1", ["/a"], ["/a"], "1:1", "-h").Labels, none);
  });

  it("remove runs by the engine, and keep servers for their logs", () => {
    assertEquals(
      [train, process, serve].map(({ HostConfig }) => HostConfig.AutoRemove),
      [true, true, false],
    );
  });

  it("publish a server on loopback alone", () => {
    assertEquals(serve.HostConfig.PortBindings, {
      "8080/tcp": [{ HostIp: "127.0.0.1", HostPort: "9000" }],
    });
  });

  it("limit memory without swap, and only when asked", () => {
    assertEquals([serve.HostConfig.Memory, serve.HostConfig.MemorySwap], [1024, 1024]);
    assertEquals([train.HostConfig.Memory, train.HostConfig.MemorySwap], [undefined, undefined]);
  });

  it("name the region only when it is known", () => {
    const regions = (cloudRegion?: string): unknown => {
      const app = appObject("/home/me", "demo", { cloudRegion });
      const { Env } = servePlan({ ...SERVING, app }, SERVER);
      return Env?.filter((variable) => variable.startsWith("AWS_REGION"));
    };
    assertEquals(regions(), []);
    assertEquals(regions("eu-west-1"), ["AWS_REGION=eu-west-1"]);
  });

  it("tell a server, and nothing else, by which names it may be called", () => {
    const hosts = (body: CreateBody): unknown =>
      body.Env?.filter((variable) => variable.startsWith("MLCLI_"));
    const own = "host.docker.internal host.containers.internal mlcli-demo-serve-9000";
    assertEquals(hosts(serve), [`MLCLI_ALLOWED_HOSTS=${own}`]);
    assertEquals(hosts(servePlan({ ...SERVING, allowedHosts: ["a.example", "::1"] }, SERVER)), [
      `MLCLI_ALLOWED_HOSTS=${own} a.example ::1`,
    ]);
    assertEquals([hosts(train), hosts(process)], [[], []]);
  });

  it("change owners without following links, without a network, with no more rights", () => {
    const [model, output] = [`${TEST}/model`, `${TEST}/output`];
    const paths = [output, `${model}/-x/y`];
    const body = ownershipPlan("demo:v1", [model, output], paths, "1000:100", "-hR");
    assertEquals(body.Cmd, ["-hR", "1000:100", "--", "/mlcli/1", "/mlcli/0/-x/y"]);
    assertEquals([body.User, body.HostConfig.NetworkMode], ["0:0", "none"]);
    assertEquals(body.HostConfig.CapDrop, ["ALL"]);
    assertEquals(body.HostConfig.CapAdd, ["CHOWN", "DAC_OVERRIDE", "FOWNER"]);
    assertEquals(mountsOf(body), [`${model}:/mlcli/0`, `${output}:/mlcli/1`]);
  });
});
