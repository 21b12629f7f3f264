/**
 * Which container to create for a job or a server, as pure data: from what is asked for and the
 * app's layout to the body of the Engine's create call.
 */

import type { Paths } from "../app/paths.ts";
import { hostNames } from "../contract/hosts.ts";
import { HOST, PATHS } from "../contract/jobs.ts";
import { commandOf, type Launch, type ProcessingLaunch, type Program } from "../contract/launch.ts";
import { trainingVariables, type Variables } from "../contract/variables.ts";
import type { CreateBody, Mount, VolumeMount } from "../docker/engine.ts";
import {
  type ContainerFacts,
  environment,
  limits,
  onPort,
  type ServerFacts,
  serverPlan,
  withPorts,
} from "../serving/plan.ts";
import { NO_LOG, readOnly, writable } from "./container/body.ts";
import { COMMON_PATH, holdsHarness, type LabelledImage } from "../contract/images.ts";
import { machineEntries, WITHOUT_ADDRESS } from "./container/machine_name.ts";
import { labels } from "./container/managed.ts";
import type { BatchJob, LocalJob, ProcessingJob, ServingJob, TrainingJob } from "./jobs.ts";
import type { PipPlace } from "./sent_code.ts";
import type { MadeOf } from "./server/made_of.ts";
import { REPORT_VARIABLES, reportMount } from "./differences/report.ts";

/**
 * An address for the container's name. Without a network of its own, engines give it none; on the
 * platform it has one, and AWS's training toolkit waits 15 minutes for that before it runs the
 * user's code.
 */
const OWN_ADDRESS = `${HOST}:127.0.0.1`;

/** What follows from the image that a container is made of. */
export interface OfImage extends Pick<ContainerFacts, "withInit"> {
  /** Host directory that becomes `/opt/ml/code`; `undefined`: the image's own code runs. */
  readonly codeFolder: string | undefined;
  /** Host directory that becomes `/opt/program/common`; `undefined`: the image's own, if any. */
  readonly commonFolder: string | undefined;
  /** Whether both are the run's own copies. */
  readonly isWritable?: boolean;
  /** Host file that the harness reports to; `undefined` where the image has none, or serves. */
  readonly reportFile: string | undefined;
}

interface Planned extends OfImage, ContainerFacts {}

/** What is mounted in a run's `input/`, at the path in there. */
export interface InputMount {
  readonly path: string;
  readonly source: string;
}

/** What is known of a training. */
export interface PlannedTraining extends Planned {
  /** The job's name, as it would be on SageMaker. */
  readonly jobName: string;
  /** Host directory that becomes `/opt/ml/input`. */
  readonly inputFolder: string;
  /** What is mounted in there. */
  readonly inputs: readonly InputMount[];
  /** Host directories that it writes to. */
  readonly folders: Pick<Paths, "model" | "output" | "checkpoints">;
  readonly launch: Launch;
  /** Of code that installs packages. */
  readonly pip: PipPlace | undefined;
}

/** What is known of a processing job. */
export interface PlannedProcessing extends Planned {
  readonly launch: ProcessingLaunch;
  /** Host directory that becomes `/opt/ml/config`. */
  readonly configFolder: string;
  /** Its inputs and outputs. */
  readonly data: readonly Mount[];
  /** Host directory that becomes `/opt/ml/output`. */
  readonly outputFolder: string;
  /** Of code that installs packages. */
  readonly pip: PipPlace | undefined;
}

/** What is known of the code that serves, wherever it is called from. */
export interface PlannedServing extends Planned, ServerFacts {
  /** Host directory that becomes `/opt/ml/model`. */
  readonly modelFolder: string;
  /** Of pip, where code in the model installs packages. */
  readonly pipMounts?: PipPlace["mounts"];
}

/** What is known of a server. */
export interface PlannedServer extends PlannedServing {
  /** The port on the host that it is known by, a free one where any was asked for. */
  readonly port: number;
  /** The port on the host that the engine gives it: another where mlcli relays requests to it. */
  readonly published: number;
  /** Of a server that answers one batch. */
  readonly batch?: Variables;
  /** The run that made the model; `undefined` where a person put it there. */
  readonly run: string | undefined;
  readonly madeOf: MadeOf;
}

/** The harness handles SIGTERM; of anything else, an init would hide whether it does. */
export function hasInit(
  { strict }: Pick<LocalJob, "strict">,
  image: LabelledImage,
  launcher: Program["launcher"] = "image",
): boolean {
  return holdsHarness(image) && !strict && launcher === "image";
}

/** The container of `local train`. */
export function trainPlan(job: TrainingJob, planned: PlannedTraining): CreateBody {
  const { app } = job;
  const { launch, pip, folders } = planned;
  return withPorts({
    Image: app.image,
    ...(launch.entrypoint === undefined ? {} : { Entrypoint: launch.entrypoint }),
    Cmd: commandOf(launch),
    Hostname: HOST,
    Env: environment(job, planned.region, {
      ...trainingVariables({ name: planned.jobName, region: planned.region }),
      ...planned.reportFile && REPORT_VARIABLES,
      ...pip?.variables,
    }, hostNames(job.hosts.count)),
    Labels: labels({ app, role: "train" }),
    HostConfig: jobHostConfig(job, planned, [
      ...codeMounts(planned),
      writable(planned.inputFolder, PATHS.input),
      ...planned.inputs.map(({ path, source }) => readOnly(source, `${PATHS.input}/${path}`)),
      writable(folders.model, PATHS.model),
      writable(folders.output, PATHS.output),
      ...job.checkpoints ? [writable(folders.checkpoints, PATHS.checkpoints)] : [],
      ...pip?.mounts ?? [],
    ]),
  }, job.publish);
}

/** The user's code and, what is not SageMaker's either, the file of the harness's report. */
function codeMounts(
  { codeFolder, commonFolder, reportFile, isWritable = false }: Planned,
): readonly Mount[] {
  const mount = isWritable ? writable : readOnly;
  return [
    ...(codeFolder === undefined ? [] : [mount(codeFolder, PATHS.code)]),
    ...(commonFolder === undefined ? [] : [mount(commonFolder, COMMON_PATH)]),
    ...(reportFile === undefined ? [] : [reportMount(reportFile)]),
  ];
}

/**
 * Whether it gets only what SageMaker gives. Several hosts do: who looks at what they share cannot tell
 * them apart.
 */
export function hasOwnAlone({ strict, hosts }: Pick<BatchJob, "strict" | "hosts">): boolean {
  return strict || hosts.count > 1;
}

/** The container of `local process`. */
export function processPlan(job: ProcessingJob, planned: PlannedProcessing): CreateBody {
  const { app } = job;
  const layout = app.paths;
  const { launch, pip } = planned;
  return withPorts({
    Image: app.image,
    ...(launch.entrypoint === undefined ? {} : { Entrypoint: launch.entrypoint }),
    Cmd: launch.arguments,
    Hostname: HOST,
    Env: environment(job, planned.region, {
      ...planned.reportFile && REPORT_VARIABLES,
      ...pip?.variables,
    }, hostNames(job.hosts.count)),
    Labels: labels({ app, role: "process" }),
    HostConfig: jobHostConfig(job, planned, [
      ...codeMounts(planned),
      writable(planned.configFolder, PATHS.configuration),
      // The specification has these two; SageMaker does not.
      ...hasOwnAlone(job)
        ? []
        : [readOnly(layout.input, PATHS.input), readOnly(layout.model, PATHS.model)],
      ...planned.data,
      writable(planned.outputFolder, PATHS.output),
      ...pip?.mounts ?? [],
    ]),
  }, job.publish);
}

/**
 * The container of `local deploy`, which stays until `local stop`, so that its log can be read; or that of
 * `local transform`.
 */
export function servePlan(job: ServingJob, planned: PlannedServer): CreateBody {
  return {
    ...onPort(servingPlan(job, planned), planned.published),
    Labels: labels({
      app: job.app,
      ...planned.batch ? { role: "transform" } : { role: "serve", port: planned.port },
      model: planned.run,
      madeOf: JSON.stringify(planned.madeOf),
    }),
  };
}

/** The same, without what makes it a server that others find. */
export function servingPlan(
  job: Parameters<typeof serverPlan>[1] & Pick<LocalJob, "app">,
  planned: PlannedServing,
): CreateBody {
  const { app } = job;
  // As on SageMaker, where a server cannot write to its model.
  const Mounts = [
    ...codeMounts(planned),
    readOnly(planned.modelFolder, PATHS.model),
    ...planned.pipMounts ?? [],
  ];
  const plan = serverPlan(app.image, job, planned, { Mounts });
  return {
    ...plan,
    HostConfig: { ...plan.HostConfig, ExtraHosts: machineEntries(job) },
    Labels: labels({ app }),
  };
}

function jobHostConfig(
  job: BatchJob,
  planned: Planned,
  mounts: readonly (Mount | VolumeMount)[],
): CreateBody["HostConfig"] {
  return {
    // By the engine, so that the container is removed even when mlcli was killed.
    AutoRemove: true,
    LogConfig: NO_LOG,
    ExtraHosts: WITHOUT_ADDRESS.includes(job.network) ? [OWN_ADDRESS] : machineEntries(job),
    ...limits(job, planned),
    Mounts: mounts,
  };
}
