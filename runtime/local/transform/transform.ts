/** `local transform`: a batch transform as SageMaker runs one, against the app's server in a container. */

import { join } from "@std/path/join";
import { junkNotes } from "../../app/junk.ts";
import { linkBoundary } from "../../app/links.ts";
import { recordedPath, typedPath } from "../../app/typed_path.ts";
import { environmentDifferences } from "../../contract/differences.ts";
import { SERVER_PORT } from "../../contract/jobs.ts";
import { jobName } from "../../contract/names.ts";
import {
  askedOf,
  executionParametersIn,
  limitsOf,
  limitsText,
  plainType,
  type RequestLimits,
  type Transform,
  transformOf,
  transformVariables,
} from "../../contract/transform.ts";
import { lineDifferences } from "../../contract/transform_warnings.ts";
import { MlcliError } from "../../errors.ts";
import { isFile, makeDirectory, removeTreeIfThere } from "../../files.ts";
import { typeHint } from "../../invocation/invocation.ts";
import { Connections, readStart } from "../../http/exchange.ts";
import { RECORD_FILES } from "../../model/records.ts";
import { onFreePort } from "../../serving/ports.ts";
import { packCode } from "../../source/source.ts";
import { NOWHERE } from "../../streams.ts";
import type { Messages } from "../../messages.ts";
import { inOneLine, sentences } from "../../text.ts";
import { deadlineIn, joinSignals } from "../../time.ts";
import { mountedCode } from "../code.ts";
import { discardContainer } from "../container/create.ts";
import { statusAfterOutput } from "../container/end.ts";
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
import { failureText, placeText } from "./failures.ts";
import { inputDifferences, type Inputs, inputsIn, typeOfInputs } from "./inputs.ts";
import { type OutputPlace, outputPlace, placeDifferences } from "./outputs.ts";
import { Results } from "./results.ts";
import { type FilesWork, transformFiles } from "./work.ts";

/** @param total bytes of the data; `undefined`: unknown. */
type Progress = (results: Results, total: number | undefined) => void;

/** How many failed files an error shows. */
const MOST_SHOWN = 10;

/** Limits of the response to /execution-parameters: seconds and characters. */
const PARAMETERS_SECONDS = 10;
const LONGEST_PARAMETERS = 4_096;

/**
 * Transforms files.
 *
 * @returns the directory of the results, as the user would type it.
 * @throws MlcliError if a file has no result, and for problems that prevent the server's start.
 */
export async function transform(
  job: TransformJob,
  host: Host,
  progress: Progress,
): Promise<string> {
  const layout = job.app.paths;
  const inputs = await inputsIn(layout, job.input);
  const shape = transformOf(job, typeOfInputs(inputs.files, job));
  const start = await startOf(job, host);
  await start.ofImage();
  const place = await outputPlace(layout, job.output);
  const { findings } = start;
  junkNotes(inputs.junk).forEach(start.note);
  findings.add(inputDifferences(inputs, shape));
  findings.add(await placeDifferences(job.input, inputs, place));
  findings.add(environmentDifferences("transform", job.variables));
  return await withRun(layout, host, async (run) => {
    const name = jobName(job.app.name, "transform");
    await begin(job, shape, start, { run, name, place });
    const boundary = await linkBoundary(job.input, layout.boundary);
    const data = dataOfChannels([{ name: "input", source: job.input, boundary }], start.signal)
      .catch(() => null);
    const server = await serverOf(start, name, shape);
    const log = typedPath(layout, join(run.directory, RECORD_FILES.log));
    const results = new Results(server.modelRun);
    const { messages } = host;
    const about = { start, run, log, server, inputs, place, results, messages, progress };
    try {
      await transformOn({ ...about, transform: shape });
    } finally {
      run.record.data = await data;
      await discardContainer(start.engine, server, start.messages);
      await removeUnpacked(server);
      findings.add(lineDifferences(results.odd));
    }
    if (results.failedFiles > 0) {
      findings.warnOfAll();
      const hasLog = await isFile(join(run.directory, RECORD_FILES.log));
      throw failed(results, shape, hasLog ? log : undefined);
    }
    findings.requireNone();
    return place.shown;
  });
}

async function begin(
  job: TransformJob,
  shape: Transform,
  start: Start,
  { run: { record }, name, place }: {
    readonly run: Run;
    readonly name: string;
    readonly place: OutputPlace;
  },
): Promise<void> {
  const layout = job.app.paths;
  const { image } = await start.ofImage();
  const hash = job.code
    ? await keepSent(layout, await packCode([job.code], job.code.entryPoint, start))
    : await keepCode(layout, {
      ...await mountedCode(job, layout, "prediction", image, start),
      isWritable: true,
    });
  const channels = { input: recordedPath(layout, job.input) };
  const asked = Object.entries({ ...askedOf(job), contentType: shape.contentType });
  const options = {
    ...Object.fromEntries(
      asked.map((
        [name, value],
      ) => [name.replace(/[A-Z]/g, (letter) => `_${letter}`).toLowerCase(), value]),
    ),
    run: start.job.run,
    output_dir: recordedPath(layout, place.path),
  };
  record.begin({ ...factsOf("transform", job, name, { channels, options }), code: hash ?? null }, {
    reference: job.app.image,
    id: image.Id,
  });
}

async function serverOf(start: Start, name: string, shape: Transform): Promise<Server> {
  const batch = transformVariables(shape);
  const on = (port: number) => startServer(start, { name, port, published: port, batch });
  // In SageMaker Studio, no port is published.
  return await (start.engine.inStudio ? on(SERVER_PORT) : onFreePort(on));
}

interface Work extends Pick<FilesWork, "transform" | "place" | "results"> {
  readonly start: Start;
  readonly run: Run;
  /** Path of the server's log, as the user would type it. */
  readonly log: string;
  readonly server: Server;
  readonly inputs: Inputs;
  readonly messages: Messages;
  readonly progress: Progress;
}

/** @throws MlcliError if the server ended; the signal's reason. */
async function transformOn(work: Work): Promise<void> {
  const { transform, start, run, server, inputs, results, messages } = work;
  const { engine, signal } = start;
  const logs = new FollowedLogs(run.record.log.of({ out: NOWHERE, err: NOWHERE }), () => {});
  const ended = new AbortController();
  // It comes to its end when the server does.
  logs.follow(engine, server)
    .then(() => statusAfterOutput(engine, server.id))
    .then((status) => serverEnded(engine, server, status, `See its log: ${work.log}`))
    .then((error) => ended.abort(whileAnswering(error, results, transform)), () => {});
  using connections = new Connections(server.port);
  using either = joinSignals(signal, ended.signal);
  const size = inputs.files.reduce((sum, { size }) => sum + size, 0);
  const total = transform.compression === "gzip" ? undefined : size;
  const parts = join(run.directory, "output");
  try {
    const limits = await askedLimits(transform, connections, either.signal, start.note);
    messages.state(limitsText(limits));
    work.progress(results, total);
    await makeDirectory(parts);
    await transformFiles(inputs.files, {
      ...work,
      limits,
      connections,
      parts,
      signal: either.signal,
      onProgress: () => work.progress(results, total),
    });
    messages.state(results.summary);
  } catch (error) {
    if (signal.aborted) messages.note(soFar(work));
    throw error;
  } finally {
    await removeTreeIfThere(parts).catch(() => {});
    run.record.transform = results.facts();
    await engine.killContainer(server.id).catch(() => {});
    await logs.lastLines(signal);
    logs.close();
  }
}

/** `2 of 5 files have results in output/transform` */
function soFar({ results: { files, failedFiles }, inputs, place }: Work): string {
  return `${files - failedFiles} of ${inputs.files.length} files have results in ${place.shown}`;
}

/** The end of a server, and what it was asked then. */
function whileAnswering(
  { message, hint }: MlcliError,
  { waiting }: Results,
  { split }: Transform,
): MlcliError {
  const asked = [...waiting].slice(0, MOST_SHOWN).map(({ file, range }) =>
    `It was processing ${placeText(file, range, wordFor(split))}`
  );
  return new MlcliError(message, { hint, quote: asked.join("\n") || undefined });
}

/** @throws MlcliError where the server's answer is not what SageMaker expects. */
async function askedLimits(
  shape: Transform,
  connections: Connections,
  signal: AbortSignal,
  note: (text: string) => void,
): Promise<RequestLimits> {
  using deadline = deadlineIn(PARAMETERS_SECONDS);
  using either = joinSignals(signal, deadline.signal);
  const request = { call: "GET /execution-parameters", headers: {}, body: [] };
  let text: string | undefined;
  try {
    text = await connections.exchange(
      request,
      either.signal,
      async ({ status, body }) =>
        status === 200 ? await readStart(body, LONGEST_PARAMETERS) : undefined,
    );
  } catch {
    // A server need not have the route, and may close the connection.
    if (deadline.signal.aborted) {
      note(`/execution-parameters did not respond within ${PARAMETERS_SECONDS} s`);
    }
  }
  signal.throwIfAborted();
  // Simple servers answer each GET with 200 and nothing.
  return limitsOf(shape, text ? executionParametersIn(text) : {});
}

function wordFor(split: Transform["split"]): string {
  return split === "line" ? "line" : "record";
}

function failed(
  { files, failedFiles, failed, hint }: Results,
  { split, contentType }: Transform,
  log: string | undefined,
): MlcliError {
  const more = failedFiles - MOST_SHOWN;
  const shown = failed.slice(0, MOST_SHOWN).map((one) => failureText(one, wordFor(split)));
  const status = failed[0]?.status;
  const isType = status === 406 || status === 415;
  // "Extra data" is what Python's json says of a second document.
  const isLines = split === "none" && failed.some(({ reason }) => /Extra data/.test(reason)) ||
    status === 415 && plainType(contentType) === "application/jsonlines";
  return new MlcliError(
    files === 1
      ? `No result for ${inOneLine(failed[0]!.file)}`
      : `${failedFiles} of ${files} files ${failedFiles === 1 ? "has" : "have"} no result`,
    {
      quote: [...shown, ...more > 0 ? [`and ${more} more`] : []].join("\n"),
      hint: sentences(
        isLines
          ? "To send each line as a JSON document: --content-type application/json --split line"
          : isType
          ? typeHint(status, contentType)
          : hint,
        log && `See the server's log: ${log}`,
      ) || undefined,
    },
  );
}
