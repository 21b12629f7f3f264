/**
 * What `mlcli local ui` answers to the page, and what `mlcli local report` puts into it. All of it may
 * come from a hostile repository: it is shown as text, and as nothing else.
 *
 *     GET  api/app                           App
 *     GET  api/events                        an Event a line, as long as the page is open
 *     GET  api/runs/NAME                     WholeRun
 *     GET  api/runs/NAME/curves?from=BYTES   CurvesPart
 *     GET  api/runs/NAME/log?from=BYTES      LogPart
 *     GET  api/runs/NAME/files               Files
 *     GET  api/comparison?a=NAME&b=NAME      Comparison
 *     POST api/servers/PORT/invocations      the answer of the server (`ANSWER_HEADERS`)
 *
 * Each request has the token in a header. What fails is answered with `Failure` and another status.
 */

/** The header with the token. Not `Authorization`, which Jupyter's proxy takes for its own. */
export const TOKEN_HEADER = "X-Mlcli-Token";

/** `Accept` of `api/events`: jupyter-server-proxy passes other answers on when they have ended. */
export const EVENTS_ACCEPT = "text/event-stream";

/** The path of this API, relative to the page: a proxy may put anything before it. */
export const API = "api/";

/**
 * Headers of a server's answer, beside its body, which comes as bytes of no type: no browser is to take it
 * for a page.
 */
export const ANSWER_HEADERS = {
  /** Of HTTP. */
  status: "X-Mlcli-Status",
  contentType: "X-Mlcli-Content-Type",
  /** From the request until the last byte of the answer. */
  milliseconds: "X-Mlcli-Milliseconds",
} as const;

/** What failed, and what helps. */
export interface Failure {
  readonly error: string;
  readonly hint: string | null;
}

/** The app whose runs are shown. */
export interface App {
  readonly app: string;
  /** Version of mlcli. */
  readonly version: string;
  /** A request that the model understands, as far as the app has one. */
  readonly sample: { readonly body: string; readonly content_type: string } | null;
}

/** What there is of a metric besides its curve. */
export interface MetricFacts {
  readonly last: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/** A run, as `mlcli local list-jobs --output json` has it. What is not known is `null`. */
export interface Run {
  readonly name: string;
  /** `train`, `process` or `transform`. */
  readonly kind: string;
  /** `InProgress`, `Completed`, `Failed`, `Stopped`, `Lost` or `Downloaded`. */
  readonly status: string;
  /** ISO 8601, with the offset of the machine's time zone. */
  readonly created: string;
  readonly ended: string | null;
  readonly reason: string | null;
  readonly seconds: number | null;
  readonly exit_status: number | null;
  readonly image: string;
  readonly commit: string | null;
  readonly code: string | null;
  readonly hyperparameters: Readonly<Record<string, string>>;
  readonly metrics: Readonly<Record<string, MetricFacts>>;
  /** What a transform did: see docs/how-to/transform.md. */
  readonly transform: Readonly<Record<string, unknown>> | null;
  /** Whether `mlcli local keep` keeps its model. */
  readonly pinned: boolean;
  /** `null` if it has no model. */
  readonly model_bytes: number | null;
}

/** A run in the list, with what has come since the last look. */
export interface ListedRun extends Run {
  /** Sizes of its log and of the values of its metrics, in bytes: larger ones are news. */
  readonly log_bytes: number;
  readonly curve_bytes: number;
}

/** What a channel held. */
export interface ChannelData {
  readonly files: number;
  readonly bytes: number;
  readonly hash: string;
  readonly by: string;
}

/** How a host ended, where a run has several. */
export interface Host {
  readonly name: string;
  readonly exit_status: number;
  readonly seconds: number;
  /** In bytes. */
  readonly peak_memory: number | null;
  /** The host whose failure ended it; `null`: none, or it was lost for good in a rehearsal. */
  readonly ended_by: string | null;
}

/** All that `mlcli local list-jobs RUN --output json` says. */
export interface WholeRun extends Run {
  /** None where there is only one. */
  readonly hosts: readonly Host[];
  readonly channels: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, ChannelData>>;
  readonly options: Readonly<Record<string, string>>;
  /** Names alone. */
  readonly variables: readonly string[];
  readonly image_id: string;
  readonly container: string;
  readonly mlcli: string;
  readonly python: string | null;
  readonly packages: Readonly<Record<string, string>> | null;
  /** Where the rest of it lies, as the user would type that. */
  readonly log: string | null;
  readonly model: string | null;
  readonly outputs: string | null;
  readonly source: string | null;
}

/** Values of a metric, in their order. */
export interface Curve {
  /** Milliseconds since the run began; `null` for values that were found in its log later. */
  readonly time: readonly (number | null)[];
  readonly value: readonly number[];
}

/** The values of a run's metrics from a place in their file on. */
export interface CurvesPart {
  /** From where to ask for what comes later. */
  readonly next: number;
  readonly curves: Readonly<Record<string, Curve>>;
}

/** A part of a log: lines with a mark before each, `out ` or `err `. */
export interface LogPart {
  readonly from: number;
  /** From where to ask for what comes later. */
  readonly next: number;
  readonly text: string;
}

/** An entry of a run's directory. */
export interface FileEntry {
  /** Relative to the directory of the run. */
  readonly path: string;
  readonly kind: "file" | "directory" | "link" | "other";
  readonly bytes: number;
}

/** What a run keeps; no link is followed. */
export interface Files {
  readonly entries: readonly FileEntry[];
  /** Whether there are more than are listed. */
  readonly is_cut: boolean;
}

/** Something that differs; `null` where a run does not have it. */
export interface Difference {
  /** `hyperparameter`, `package`, ... */
  readonly what: string;
  readonly name: string | null;
  readonly values: readonly (string | number | null)[];
}

/** A file that is not the same in both. */
export interface CodeChange {
  readonly path: string;
  readonly change: string;
  /** As `diff -u` has it. */
  readonly patch: string | null;
}

/** What `mlcli local list-jobs A B ... --output json` prints. */
export interface Comparison {
  readonly runs: readonly Run[];
  readonly differences: readonly Difference[];
  /** `null` if the code of a run is not kept, or if there are more than two runs. */
  readonly code: readonly CodeChange[] | null;
}

/** Requests that were passed on to a server, and their answers. */
export interface Requests {
  readonly requests: number;
  /** Of them, those without an answer or with another status than 200 to 299. */
  readonly failed: number;
  /** Within how many ms such a part of them was answered. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** A server or a run's container, as `mlcli local status --output json` has it. */
export interface Container {
  readonly name: string;
  readonly app: string;
  /** `serve`, `train`, `process` or `transform`. */
  readonly role: string;
  readonly port: number | null;
  /** `healthy`, `unhealthy`, `running`, or the engine's word. */
  readonly state: string;
  readonly ping_status: number | null;
  readonly ping_failure: string | null;
  readonly exit_status: number | null;
  readonly created: string;
  readonly image: string;
  /** For a server: the run that made its model. */
  readonly model_run: string | null;
  /** Times of what is newer than the server. */
  readonly stale: Readonly<Record<string, string | null>> | null;
}

/** A container, and what the page shows of a server besides. */
export interface Server extends Container {
  /** Version of mlcli that started it. */
  readonly mlcli: string | null;
  /** What this page passed on, and what `local deploy --watch` did. */
  readonly from_page: Requests | null;
  readonly from_watch: Requests | null;
}

/** What has changed; the first two say all that there is. */
export type Event =
  | {
    readonly kind: "runs";
    /** New ones, and those that have changed. */
    readonly runs: readonly ListedRun[];
    /** Names of those that are gone. */
    readonly gone: readonly string[];
    /** Why the disk says nothing. */
    readonly problem: string | null;
  }
  | {
    readonly kind: "servers";
    readonly servers: readonly Server[];
    /** Why the engine says nothing. */
    readonly problem: string | null;
  };

/** A report: the page by itself, with what it shows. */
export interface Report {
  readonly app: string;
  readonly version: string;
  /** ISO 8601. */
  readonly made: string;
  /** The newest first. */
  readonly runs: readonly WholeRun[];
  /** By run. A long curve has fewer points: the least and the most of each part. */
  readonly curves: Readonly<Record<string, Readonly<Record<string, Curve>>>>;
  readonly files: Readonly<Record<string, Files>>;
  /** By run; empty but for --with-logs. */
  readonly logs: Readonly<Record<string, string>>;
  /** Of each two, while they are few. */
  readonly comparisons: readonly Comparison[];
}
