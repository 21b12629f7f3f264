import { assertEquals } from "@std/assert";
import type { ProcessingJob, ServingJob, TrainingJob } from "../../../runtime/local/jobs.ts";
import {
  type PlannedProcessing,
  type PlannedServer,
  type PlannedTraining,
  processPlan,
  servePlan,
  trainPlan,
} from "../../../runtime/local/plan.ts";
import { initProbePlan, ownershipPlan } from "../../../runtime/local/container/body.ts";
import type { Resources } from "../../../runtime/contract/jobs.ts";
import type { CreateBody } from "../../../runtime/docker/engine.ts";
import { studioBody } from "../../../runtime/docker/studio.ts";
import { VERSION } from "../../../runtime/version.ts";
import { appObject } from "../../helpers/app_object.ts";
import { it, suite } from "../../helpers/suite.ts";

const JOB: TrainingJob = {
  app: appObject("/home/me", "demo"),
  tag: "v1",
  memory: undefined,
  cpus: undefined,
  shmSize: undefined,
  gpus: undefined,
  network: undefined,
  allowPrivileges: false,
  variables: {},
  strict: false,
  interactive: false,
  grace: undefined,
  copyInputs: false,
  hyperparameters: [],
  inputs: [],
  stopAfter: undefined,
  checkpoints: false,
};
const BASE = "/home/me/demo/mlcli_base";
const TEST = `${BASE}/local_test/test_dir`;

function mountsOf(body: CreateBody): string[] {
  return body.HostConfig.Mounts.map(({ Source, Target, ReadOnly }) =>
    `${Source}:${Target}${ReadOnly ? ":ro" : ""}`
  );
}

const TRAINING: PlannedTraining = {
  region: "eu-west-1",
  name: "mlcli-demo-train-1",
  jobName: "demo-2026-03-01-09-30-00-123",
  withInit: false,
  codeFolder: `${BASE}/training`,
  commonFolder: undefined,
  reportFile: "/run/report",
  isWritable: true,
  inputFolder: "/run/input",
  inputs: [],
  modelFolder: `${BASE}/local_test/jobs/one/model`,
};
const train = trainPlan(JOB, TRAINING);
const PROCESSING: ProcessingJob = {
  ...JOB,
  file: "steps/clean.py",
  entrypoint: [],
  arguments: [],
  input: undefined,
};
const PROCESS: PlannedProcessing = {
  name: "mlcli-demo-process-1",
  region: "eu-west-1",
  withInit: false,
  codeFolder: `${BASE}/processing`,
  commonFolder: undefined,
  reportFile: "/run/report",
  outputFolder: `${TEST}/output`,
  arguments: ["process", "steps/clean.py"],
  configFolder: "/run/config",
  inputFolder: `${TEST}/input/data/processing`,
  isInputCopied: false,
};
const process = processPlan(PROCESSING, PROCESS);
const SERVING: ServingJob = { ...JOB, port: 0, timeout: 1, allowedHosts: [], run: undefined };
const MADE_OF = { host: "h", base: BASE, code: "c", model: "m", image: "demo:v1", imageId: "i" };
const SERVER: PlannedServer = {
  name: "mlcli-demo-serve-9000",
  region: "eu-west-1",
  port: 9000,
  withInit: false,
  codeFolder: `${BASE}/prediction`,
  commonFolder: undefined,
  reportFile: undefined,
  bodyLimit: {},
  modelFolder: `${TEST}/model`,
  run: "demo-1",
  published: 9000,
  madeOf: MADE_OF,
};
const serve = servePlan({ ...SERVING, memory: 1024 }, SERVER);

suite("plans", () => {
  it("mount what a training reads by itself, read-only", () => {
    const inputs = [
      { path: "data/training", source: "/data/churn" },
      { path: "words.txt", source: `${TEST}/input/words.txt` },
    ];
    assertEquals(mountsOf(trainPlan(JOB, { ...TRAINING, inputs })).slice(2, 5), [
      "/run/input:/opt/ml/input",
      "/data/churn:/opt/ml/input/data/training:ro",
      `${TEST}/input/words.txt:/opt/ml/input/words.txt:ro`,
    ]);
  });

  it("let processing write to a copy of its data", () => {
    const copy = { inputFolder: "/run/input", isInputCopied: true };
    const mounts = mountsOf(processPlan(PROCESSING, { ...PROCESS, ...copy }));
    assertEquals(mounts.includes("/run/input:/opt/ml/processing/input"), true);
  });

  it("leave the image's own code where no other is given", () => {
    const none = { codeFolder: undefined };
    const bodies = [
      trainPlan(JOB, { ...TRAINING, ...none }),
      processPlan(PROCESSING, { ...PROCESS, ...none }),
      servePlan(SERVING, { ...SERVER, ...none }),
    ];
    for (const [index, body] of bodies.entries()) {
      assertEquals(mountsOf(body), mountsOf([train, process, serve][index]!).slice(1));
    }
  });

  it("mount under --strict what the platform has, and no more", () => {
    const ofImage = { codeFolder: undefined };
    const strict = { strict: true };
    const inputs = [{ path: "data/x", source: `${TEST}/input/data/x` }];
    const training = { ...TRAINING, ...ofImage, inputs };
    const processing = { ...PROCESS, ...ofImage, outputFolder: "/run/output" };
    const bodies = [
      trainPlan({ ...JOB, ...strict }, training),
      processPlan({ ...PROCESSING, ...strict }, processing),
      servePlan({ ...SERVING, ...strict }, { ...SERVER, ...ofImage }),
    ];
    assertEquals(bodies.map((body) => mountsOf(body).filter((mount) => !/report/.test(mount))), [
      [
        "/run/input:/opt/ml/input",
        `${TEST}/input/data/x:/opt/ml/input/data/x:ro`,
        `${BASE}/local_test/jobs/one/model:/opt/ml/model`,
        `${TEST}/output:/opt/ml/output`,
      ],
      [
        "/run/config:/opt/ml/config",
        `${TEST}/input/data/processing:/opt/ml/processing/input:ro`,
        `${TEST}/output:/opt/ml/processing/output`,
        "/run/output:/opt/ml/output",
      ],
      [`${TEST}/model:/opt/ml/model:ro`],
    ]);
    for (const { Env = [] } of bodies) {
      assertEquals(Env.filter((one) => /^[MS][LM]_/.test(one)), []);
      assertEquals(Env.includes("MLCLI_WATCH=") || !Env.join().includes("MLCLI_WATCH"), true);
    }
  });

  it("mount checkpoints only when asked", () => {
    const asked = trainPlan({ ...JOB, checkpoints: true }, TRAINING);
    assertEquals(mountsOf(asked), [
      ...mountsOf(train),
      `${TEST}/checkpoints:/opt/ml/checkpoints`,
    ]);
  });

  it("choose a network only when asked, and give the container's name an address", () => {
    const plans = (network: string | undefined) =>
      [
        trainPlan({ ...JOB, network }, TRAINING),
        processPlan({ ...PROCESSING, network }, PROCESS),
        servePlan({ ...SERVING, network }, SERVER),
      ].map(({ HostConfig }) => [HostConfig.NetworkMode, HostConfig.ExtraHosts]);
    const own = ["algo-1:127.0.0.1"];
    const table: [string | undefined, string[] | undefined][] = [
      [undefined, undefined],
      ["none", own],
      ["host", own],
      ["bridge", undefined],
      ["db", undefined],
    ];
    for (const [network, hosts] of table) {
      const job = [network, hosts];
      assertEquals(plans(network), [job, job, [network, undefined]]);
    }
  });

  it("give processors, shared memory and GPUs as they are asked for", () => {
    const of = (resources: Partial<Resources>) => {
      const bodies = [
        trainPlan({ ...JOB, ...resources }, TRAINING),
        processPlan({ ...PROCESSING, ...resources }, PROCESS),
        servePlan({ ...SERVING, ...resources }, SERVER),
      ].map(({ HostConfig: { NanoCpus, ShmSize, DeviceRequests } }) => [
        NanoCpus,
        ShmSize,
        DeviceRequests,
      ]);
      assertEquals([bodies[1], bodies[2]], [bodies[0], bodies[0]]);
      return bodies[0];
    };
    const shm = 2_147_483_648;
    const gpu = { Capabilities: [["gpu"]] };
    assertEquals(of({}), [undefined, shm, undefined]);
    assertEquals(of({ cpus: 1.5 }), [1_500_000_000, shm, undefined]);
    assertEquals(of({ cpus: 0.07 }), [70_000_000, shm, undefined]);
    assertEquals(of({ shmSize: 4096 }), [undefined, 4096, undefined]);
    assertEquals(of({ gpus: "all" }), [undefined, shm, [{ ...gpu, Count: -1 }]]);
    assertEquals(of({ gpus: 2 }), [undefined, shm, [{ ...gpu, Count: 2 }]]);
    assertEquals(of({ gpus: ["0", "1"] }), [undefined, shm, [{ ...gpu, DeviceIDs: ["0", "1"] }]]);
  });

  it("give the user's variables, over mlcli's own", () => {
    const app = appObject("/home/me", "demo", { cloudRegion: "eu-west-1" });
    const variables = { AWS_REGION: "x=y z", SM_MODEL_DIR: "", OWN: "1", TRAINING_JOB_NAME: "t" };
    const bodies = [
      trainPlan({ ...JOB, app, variables }, TRAINING),
      processPlan({ ...PROCESSING, app, variables }, PROCESS),
      servePlan({ ...SERVING, app, variables }, SERVER),
    ];
    for (const { Env = [] } of bodies) {
      const of = (name: string) => Env.filter((one) => one.startsWith(`${name}=`));
      assertEquals(Object.keys(variables).flatMap(of), [
        "AWS_REGION=x=y z",
        "SM_MODEL_DIR=",
        "OWN=1",
        "TRAINING_JOB_NAME=t",
      ]);
      assertEquals(of("ML_MODEL_DIR"), ["ML_MODEL_DIR=/opt/ml/model"]);
    }
  });

  it("tell a server the limit of a body, also under --strict", () => {
    for (const strict of [false, true]) {
      const told = { ...SERVER, bodyLimit: { MLCLI_MAX_BODY_MB: "6" } };
      const { Env = [] } = servePlan({ ...SERVING, strict }, told);
      assertEquals(Env.filter((one) => one.startsWith("MLCLI_MAX")), ["MLCLI_MAX_BODY_MB=6"]);
    }
  });

  it("inherit none of mlcli's labels from the image", () => {
    const none = {
      "mlcli.app": "",
      "mlcli.directory": "",
      "mlcli.role": "",
      "mlcli.port": "",
      "mlcli.model": "",
      "mlcli.made-of": "",
      "mlcli.version": VERSION,
    };
    assertEquals(initProbePlan("demo:v1").Labels, none);
    assertEquals(ownershipPlan("demo:v1", ["/a"], ["/a"], ["chown", "-h", "1:1"]).Labels, none);
  });

  it("change owners without following links, without a network, with no more rights", () => {
    const [model, output] = [`${TEST}/model`, `${TEST}/output`];
    const paths = [output, `${model}/-x/y`];
    const body = ownershipPlan("demo:v1", [model, output], paths, ["chown", "-hR", "1000:100"]);
    assertEquals(body.Cmd, ["-hR", "1000:100", "--", "/mlcli/1", "/mlcli/0/-x/y"]);
    assertEquals([body.User, body.HostConfig.NetworkMode], ["0:0", "none"]);
    assertEquals(body.HostConfig.CapDrop, ["ALL"]);
    assertEquals(body.HostConfig.CapAdd, ["CHOWN", "DAC_OVERRIDE", "FOWNER"]);
    assertEquals(mountsOf(body), [`${model}:/mlcli/0`, `${output}:/mlcli/1`]);
  });
});

suite("plans in SageMaker Studio", () => {
  const STUDIO = "SM_STUDIO_LOCAL_MODE=True";
  const bound = { ...SERVING, variables: { SAGEMAKER_BIND_TO_PORT: "7000" } };
  for (
    const [title, plan, env, labels] of [
      ["a training", train, [STUDIO], {}],
      ["one without a network", trainPlan({ ...JOB, network: "none" }, TRAINING), [STUDIO], {}],
      ["a processing job", process, [STUDIO], {}],
      ["a server", serve, [STUDIO, "SAGEMAKER_BIND_TO_PORT=9000"], { "mlcli.listens": "9000" }],
      [
        "a server that is told a port already",
        servePlan(bound, SERVER),
        [STUDIO, "SAGEMAKER_BIND_TO_PORT=9000"],
        { "mlcli.listens": "9000" },
      ],
      [
        "a change of owners",
        ownershipPlan("i", ["/m"], ["/m/a"], ["chown", "-h", "1:1"]),
        [STUDIO],
        {},
      ],
    ] as const
  ) {
    it(`${title} is on the space's network, and has nothing of its own there`, () => {
      const body = studioBody(plan);
      const { Hostname: _name, ExposedPorts: _port, Env = [], HostConfig, ...kept } =
        plan as unknown as CreateBody;
      const { ExtraHosts: _hosts, PortBindings: _ports, ...host } = HostConfig;
      const before = Env.filter((variable) => !variable.startsWith("SAGEMAKER_BIND"));
      assertEquals(body, {
        ...kept,
        Env: [...before, ...env],
        Labels: { ...plan.Labels, "mlcli.listens": "", ...labels },
        HostConfig: { ...host, NetworkMode: "sagemaker" },
      });
    });
  }
});
