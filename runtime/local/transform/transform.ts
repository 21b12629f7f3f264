/** `local transform`: a batch transform as SageMaker runs one, against the app's server in a container. */

import { join } from "@std/path/join";
import { imageReference } from "../../app/app.ts";
import { layoutOf, requireLayoutInside, requireTestDirectory } from "../../app/layout.ts";
import { typedPath } from "../../app/typed_path.ts";
import { environmentDifferences } from "../../contract/differences.ts";
import { SERVER_PORT } from "../../contract/jobs.ts";
import { jobName } from "../../contract/names.ts";
import {
  executionParametersIn,
  limitsOf,
  limitsText,
  type RequestLimits,
  type Transform,
  transformOf,
  transformVariables,
} from "../../contract/transform.ts";
import type { Engine } from "../../docker/engine.ts";
import { MlcliError } from "../../errors.ts";
import { makeDirectory } from "../../files.ts";
import { typeHint } from "../../invocation/invocation.ts";
import { Connections } from "../../http/exchange.ts";
import { RECORD_FILES } from "../../model/records.ts";
import { onFreePort } from "../../serving/ports.ts";
import { packCode } from "../../source/source.ts";
import { overlaid } from "../../streams.ts";
import { deadlineIn, joinSignals } from "../../time.ts";
import { mountedCode } from "../code.ts";
import { discardContainer } from "../container/create.ts";
import type { Host, TransformJob } from "../jobs.ts";
import { keepCode, keepSent } from "../runs/kept_code.ts";
import { factsOf } from "../runs/record.ts";
import { type Run, withRun } from "../runs/run.ts";
import { dataOf as dataOfChannels } from "../runs/data.ts";
import { FollowedLogs } from "../server/logs.ts";
import { serverEnded } from "../server/serve.ts";
import { removeUnpacked } from "../server/served_model.ts";
import type { Server } from "../server/servers.ts";
import { type Start, startOf, startServer } from "../server/starting.ts";
import { failureText } from "./failures.ts";
import { inputDifferences, type Inputs, inputsIn, typeOfInputs } from "./inputs.ts";
import { oddDifferences } from "./odd_files.ts";
import { type OutputPlace, outputPlace, placeDifferences } from "./outputs.ts";
import { Results, type TransformFacts } from "./results.ts";
import { type Odd, transformFiles } from "./work.ts";

/** What is told of a transform while it goes on. */
export interface TransformReport {
  /** What counts of concurrency, strategy and payload. */
  readonly limits: (text: string) => void;
  /** @param total bytes of the data; `undefined`: not known. */
  readonly progress: (results: Results, total: number | undefined) => void;
  readonly end: (facts: TransformFacts) => void;
}

/** How many failed files an error shows. */
const MOST_SHOWN = 10;

/** How long the answer to /execution-parameters may take, in seconds. */
const PARAMETERS_SECONDS = 60;

/**
 * Transforms files.
 *
 * @returns the directory of the results, as the user would type it.
 * @throws MlcliError where a file has no result, and for all that stands in the way of the server.
 */
export async function transform(
  job: TransformJob,
  host: Host,
  report: TransformReport,
): Promise<string> {
  const layout = layoutOf(job.app);
  await requireLayoutInside(layout, "prediction");
  await requireTestDirectory(layout);
  const inputs = await inputsIn(layout.directory, job.input);
  const shape = transformOf(job.asked, typeOfInputs(inputs.files, job.asked));
  limitsOf(shape);
  const start = await startOf(job, host);
  await start.ofImage();
  const place = await outputPlace(layout, job.output);
  const { findings } = start;
  findings.add(inputDifferences(inputs, shape));
  findings.add(await placeDifferences(job.input, place));
  findings.add(environmentDifferences("transform", job.variables));
  return await withRun(layout, host, async (run) => {
    const name = jobName(job.app.name, "transform");
    await begin(job, shape, start, run, name);
    const data = dataOfChannels([{ name: "input", source: job.input }], start.signal)
      .catch(() => null);
    const results = new Results();
    const odd: OddFile[] = [];
    const server = await serverOf(start, name, shape);
    const work = { job, shape, start, run, server, inputs, place, results, odd, report };
    try {
      const facts = await transformOn(work);
      report.end(facts);
      run.record.transform = facts;
    } finally {
      run.record.data = await data;
      await discardContainer(start.engine, server, start.err);
      await removeUnpacked(server);
      findings.add(oddDifferences(odd, shape));
    }
    if (results.failedFiles > 0) {
      findings.warnOfAll();
      throw failed(results, shape, typedPath(layout.directory, logOf(run)));
    }
    findings.requireNone();
    return place.shown;
  });
}

function logOf({ directory }: Run): string {
  return join(directory, RECORD_FILES.log);
}

async function begin(
  job: TransformJob,
  shape: Transform,
  start: Start,
  { record }: Run,
  name: string,
): Promise<void> {
  const layout = layoutOf(job.app);
  const { image } = await start.ofImage();
  const hash = job.code
    ? await keepSent(layout, await packCode([job.code], job.code.entryPoint, start.note))
    : await keepCode(layout, {
      ...await mountedCode(job, layout, "prediction", image, start.note),
      isWritable: true,
    });
  const channels = { input: typedPath(layout.directory, job.input) };
  const options = { ...job.asked, content_type: shape.contentType, run: job.run };
  record.begin({ ...factsOf("transform", job, name, { channels, options }), code: hash ?? null }, {
    reference: imageReference(job.app, job.tag),
    id: image.Id,
  });
}

async function serverOf(start: Start, name: string, shape: Transform): Promise<Server> {
  const batch = transformVariables(shape);
  const on = (port: number) => startServer(start, { name, port, published: port, batch });
  // In SageMaker Studio, no port is published.
  return await (start.engine.inStudio ? on(SERVER_PORT) : onFreePort(on));
}

/** A file, as the user would type it, and what is odd about it. */
interface OddFile {
  readonly name: string;
  readonly odd: Odd;
}

interface Work {
  readonly job: TransformJob;
  readonly shape: Transform;
  readonly start: Start;
  readonly run: Run;
  readonly server: Server;
  readonly inputs: Inputs;
  readonly place: OutputPlace;
  readonly results: Results;
  readonly odd: OddFile[];
  readonly report: TransformReport;
}

/** @throws MlcliError where the server ended; the signal's reason. */
async function transformOn(work: Work): Promise<TransformFacts> {
  const { shape, start, run, server, inputs, place, results, odd, report } = work;
  const { engine, signal } = start;
  const logs = new FollowedLogs(run.record.log.of(SILENT), () => {});
  logs.follow(engine, server).catch(() => {});
  using connections = new Connections(server.port);
  using ended = untilEnded(engine, server, typedPath(layoutOf(work.job.app).directory, logOf(run)));
  using either = joinSignals(signal, ended.signal);
  const total = shape.compression === "gzip"
    ? undefined
    : inputs.files.reduce((sum, { size }) => sum + size, 0);
  const began = performance.now();
  try {
    const limits = await askedLimits(shape, connections, either.signal);
    report.limits(limitsText(limits));
    const parts = join(run.directory, "output");
    await makeDirectory(parts);
    await transformFiles(inputs.files, {
      transform: shape,
      limits,
      connections,
      place,
      parts,
      results,
      signal: either.signal,
      onRetry: () => results.retries++,
      onProgress: () => report.progress(results, total),
      onOdd: ({ shown }, found) => void odd.push({ name: shown, odd: found }),
    });
    return results.facts((performance.now() - began) / 1_000);
  } finally {
    run.record.transform = results.facts((performance.now() - began) / 1_000);
    await engine.killContainer(server.id).catch(() => {});
    await logs.lastLines(signal);
    logs.close();
  }
}

const SILENT_OUTPUT = overlaid({
  isTerminal: false,
  colour: false,
  columns: 80,
  rows: 0,
  write: () => Promise.resolve(),
  print: () => {},
}, {});

/** The server's log is kept with the run, and not shown. */
const SILENT = { out: SILENT_OUTPUT, err: SILENT_OUTPUT };

/** A signal that is aborted when the server ends by itself. */
function untilEnded(
  engine: Engine,
  server: Server,
  log: string,
): Disposable & { readonly signal: AbortSignal } {
  const over = new AbortController();
  const ended = new AbortController();
  engine.wait(server.id, "not-running", over.signal)
    .then(async ({ status }) => {
      const error = await serverEnded(engine, server, await status, `Its log: ${log}`);
      if (!over.signal.aborted) ended.abort(error);
    })
    .catch(() => {});
  return { signal: ended.signal, [Symbol.dispose]: () => over.abort() };
}

/** @throws MlcliError where the server's answer is not what SageMaker expects. */
async function askedLimits(
  shape: Transform,
  connections: Connections,
  signal: AbortSignal,
): Promise<RequestLimits> {
  using deadline = deadlineIn(PARAMETERS_SECONDS);
  using either = joinSignals(signal, deadline.signal);
  const request = { call: "GET /execution-parameters", headers: {}, body: [] };
  let text: string | undefined;
  try {
    text = await connections.exchange(request, either.signal, async ({ status, body }) => {
      const decoder = new TextDecoder();
      let text = "";
      for await (const piece of body) text += decoder.decode(piece, { stream: true });
      return status === 200 ? text : undefined;
    });
  } catch {
    // A server need not have the route, and may close the connection.
    signal.throwIfAborted();
  }
  return limitsOf(shape, text === undefined ? {} : executionParametersIn(text));
}

function failed(
  { files, failedFiles, failed }: Results,
  { split, contentType }: Transform,
  log: string,
): MlcliError {
  // "Extra data" is what Python's json says of a second document.
  const isSeveral = split === "none" && /json/i.test(contentType) &&
    failed.some(({ reason }) => /Extra data|trailing/i.test(reason));
  const status = failed[0]?.status ?? 0;
  const isType = status === 406 || status === 415;
  const word = split === "line" ? "line" : "record";
  const more = failedFiles - MOST_SHOWN;
  const shown = failed.slice(0, MOST_SHOWN).map((one) => failureText(one, word));
  return new MlcliError(
    files === 1 ? "The file has no result" : `${failedFiles} of ${files} files have no result`,
    {
      quote: [...shown, ...more > 0 ? [`and ${more} more`] : []].join("\n"),
      hint: isSeveral
        ? "A request is one document of JSON: --split line sends each line by itself."
        : `${isType ? `${typeHint(status, contentType)} ` : ""}The server's log: ${log}`,
    },
  );
}
