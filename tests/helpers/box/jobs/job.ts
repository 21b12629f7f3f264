/** A job of SageMaker: what was asked for, how far it is, how it ended. */

import { ACCOUNT, REGION } from "../account.ts";

/** Trainings, processings and batch transforms: sorts of jobs that have names of their own. */
export type JobKind = keyof typeof KIND_WORDS;

/** What a job is called in each kind's operations and log groups. */
export const KIND_WORDS = {
  training: { word: "Training", group: "/aws/sagemaker/TrainingJobs", arn: "training-job" },
  processing: { word: "Processing", group: "/aws/sagemaker/ProcessingJobs", arn: "processing-job" },
  transform: { word: "Transform", group: "/aws/sagemaker/TransformJobs", arn: "transform-job" },
} as const;

/** What a job's status may be. */
export type JobStatus = "InProgress" | "Completed" | "Failed" | "Stopping" | "Stopped";

/** A step of `SecondaryStatusTransitions`; times are epoch seconds. */
export interface Transition {
  readonly Status: string;
  readonly StartTime: number;
  EndTime?: number;
  StatusMessage: string;
}

/** How a job ends. */
export interface JobEnd {
  readonly status: "Completed" | "Failed" | "Stopped";
  /** The last of the secondary statuses, where it is another: `MaxRuntimeExceeded`. */
  readonly secondary?: string;
  /** `FailureReason`. */
  readonly reason?: string;
  /** Of a processing job. */
  readonly exitMessage?: string;
  /** `s3://...`: `ModelArtifacts.S3ModelArtifacts`. */
  readonly artifact?: string;
  /** In seconds; else what the clock says. */
  readonly trainingTime?: number;
  readonly billableTime?: number;
}

/** What SageMaker says of a status that a test gives no words for. */
const MESSAGES: Readonly<Record<string, string>> = {
  Starting: "Starting the training job",
  Downloading: "Downloading input data",
  Training: "Training image download completed. Training in progress.",
  Uploading: "Uploading generated training model",
  Completed: "Training job completed",
  Failed: "Training job failed",
  Stopping: "Stopping the training job",
  Stopped: "Training job stopped",
  Interrupted: "Training job interrupted",
  MaxRuntimeExceeded: "Training job runtime exceeded MaxRuntimeInSeconds provided",
  MaxWaitTimeExceeded: "Training job runtime exceeded MaxWaitTimeInSeconds provided",
};

/** SageMaker's words for a lack of machines: on the way, and at the end. */
export const NO_CAPACITY = {
  message: "Insufficient capacity error from EC2 while launching instances, retrying!",
  reason:
    "CapacityError: Unable to provision requested ML compute capacity. Please retry using a " +
    "different ML instance type.",
};

/** A transform's machine, counted from 0. */
export function transformHost(index = 0): string {
  return `i-0123456789abcde${String(index + 1).padStart(2, "0")}`;
}

/** Machines of one type, as `resourceconfig.json` has them. */
export interface Group {
  readonly instance_group_name: string;
  readonly instance_type: string;
  readonly hosts: readonly string[];
}

/** Of a spot instance's time, so much is billed where a test says nothing. */
const SPOT_SHARE = 0.3;

/** A job. */
export class Job {
  status: JobStatus = "InProgress";
  readonly transitions: Transition[] = [];
  failureReason?: string;
  exitMessage?: string;
  artifact?: string;
  /** Epoch seconds: when it started on its machine, and when it ended. */
  startTime?: number;
  endTime?: number;
  lastModified: number;
  trainingTime?: number;
  billableTime?: number;
  readonly tags = new Map<string, string>();
  readonly #ended = Promise.withResolvers<void>();

  constructor(
    readonly kind: JobKind,
    readonly name: string,
    // deno-lint-ignore no-explicit-any
    readonly request: Readonly<Record<string, any>>,
    /** Epoch seconds. */
    readonly creationTime: number,
  ) {
    this.lastModified = creationTime;
    this.enter("Starting");
  }

  get arn(): string {
    return `arn:aws:sagemaker:${REGION}:${ACCOUNT}:${KIND_WORDS[this.kind].arn}/${this.name}`;
  }

  /** Of its last transition. */
  get secondary(): string {
    return this.transitions.at(-1)!.Status;
  }

  get hasEnded(): boolean {
    return !["InProgress", "Stopping"].includes(this.status);
  }

  /** Resolves when it has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Where its log is. */
  get logGroup(): string {
    return KIND_WORDS[this.kind].group;
  }

  /**
   * The stream of a host's log: `JOB/algo-1-EPOCH`; of the log of a transform's data
   * `JOB/HOST-EPOCH/data-log`, which is asked for as `HOST/data-log`.
   */
  logStream(host: string): string {
    const [name, ...rest] = host.split("/");
    return [`${this.name}/${name}-${Math.floor(this.creationTime)}`, ...rest].join("/");
  }

  /** Sorted as text (`algo-10` before `algo-2`); a transform's are named as EC2 names its machines. */
  get hosts(): readonly string[] {
    if (this.kind !== "transform") return this.groups.flatMap(({ hosts }) => hosts).sort();
    const { InstanceCount = 1 } = this.request.TransformResources ?? {};
    return Array.from({ length: InstanceCount }, (_, index) => transformHost(index));
  }

  /**
   * The groups of machines. Each has the hosts whose numbers follow those of the group before it, the last
   * one first, as in a real job (ultralytics/yolov5, issue 12811).
   */
  get groups(): readonly Group[] {
    const { ResourceConfig, ProcessingResources } = this.request;
    const { InstanceGroups, InstanceType, InstanceCount = 1 } = ResourceConfig ??
      ProcessingResources?.ClusterConfig ?? {};
    const InstanceGroupName = "homogeneousCluster";
    const groups = InstanceGroups ?? [{ InstanceGroupName, InstanceType, InstanceCount }];
    let number = 0;
    // deno-lint-ignore no-explicit-any -- as the request
    return groups.map((group: any) => {
      const hosts = Array.from({ length: group.InstanceCount }, () => `algo-${++number}`);
      return {
        instance_group_name: group.InstanceGroupName,
        instance_type: group.InstanceType,
        hosts: [...hosts.slice(-1), ...hosts.slice(0, -1)],
      };
    });
  }

  /** Goes on to a secondary status; in the one that it is in, says something else. */
  enter(secondary: string, message = MESSAGES[secondary] ?? secondary): void {
    const now = this.#now();
    const last = this.transitions.at(-1);
    if (last?.Status === secondary) {
      last.StatusMessage = message;
      return;
    }
    if (last) last.EndTime = now;
    this.transitions.push({ Status: secondary, StartTime: now, StatusMessage: message });
    if (secondary !== "Starting" && !this.hasEnded) this.startTime ??= now;
  }

  /** Begins to stop. */
  stopping(): void {
    this.status = "Stopping";
    this.enter("Stopping");
  }

  /** Ends. */
  end(end: JobEnd): void {
    const now = this.#now();
    this.endTime = now;
    this.status = end.status;
    this.failureReason = end.reason?.slice(0, 1_024);
    this.exitMessage = end.exitMessage;
    this.artifact = end.artifact;
    this.enter(end.secondary ?? end.status);
    this.transitions.at(-1)!.EndTime = now;
    const seconds = this.startTime === undefined ? 0 : Math.ceil(now - this.startTime);
    this.trainingTime = end.trainingTime ?? seconds;
    const share = this.request.EnableManagedSpotTraining === true ? SPOT_SHARE : 1;
    this.billableTime = end.billableTime ?? Math.floor(this.trainingTime * share);
    this.#ended.resolve();
  }

  #now(): number {
    this.lastModified = Date.now() / 1_000;
    return this.lastModified;
  }
}
