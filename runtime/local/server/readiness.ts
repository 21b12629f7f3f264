import { readOnlyHint } from "../../contract/failure_causes.ts";
import { START_SECONDS } from "../../contract/limits.ts";
import { missingModule } from "../../contract/missing_modules.ts";
import { endWithError, explainingLines, lastErrorIn } from "../../contract/outcome.ts";
import type { Engine } from "../../docker/engine.ts";
import type { ImageDetails } from "../../docker/images.ts";
import { MlcliError } from "../../errors.ts";
import type { Messages } from "../../messages.ts";
import { logTail, type Readiness, shownTail, untilReady } from "../../serving/ready.ts";
import { abortOf } from "../../time.ts";
import { endInWords } from "../container/end.ts";
import { privilegesHint } from "../container/last_output.ts";
import { machineNameHint } from "../container/machine_name.ts";
import type { Findings } from "../differences/findings.ts";
import type { ServingJob } from "../jobs.ts";
import { missingModuleHintOf } from "../missing_module.ts";
import { missingModelFileHint } from "./model_files.ts";
import type { Server } from "./servers.ts";

interface Asked {
  readonly job: Pick<ServingJob, "app" | "timeout" | "network" | "strict">;
  readonly image: ImageDetails;
  readonly engine: Engine;
  readonly signal: AbortSignal;
  readonly findings: Findings;
  readonly messages: Messages;
}

/**
 * Waits until a started server responds.
 *
 * @param published its port on this machine.
 * @param followed its log, if it is shown.
 * @throws MlcliError if the server ended, or after the time limit; the signal's reason.
 */
export async function requireReady(
  asked: Asked,
  server: Server,
  published: number,
  followed: Promise<void> | undefined,
): Promise<void> {
  const { job, engine, signal, messages } = asked;
  const { id } = server;
  const readiness = await untilReady(engine, { id, port: published }, {
    seconds: job.timeout,
    signal,
    onStuck: (words, hint) => {
      const wait = "If it is still loading its model, no action is needed: " +
        `mlcli waits up to ${job.timeout} s (--timeout).`;
      messages.warning(`The server is not ready: ${words}`, `${wait} ${hint}`);
    },
  });
  switch (readiness.kind) {
    case "ready":
      return;
    case "ended": {
      // Who follows the start has seen the log. The container stays until all of it was read.
      if (followed) await Promise.race([followed.catch(() => {}), abortOf(signal)]);
      throw await endedTooEarly(asked, server, readiness.status, followed !== undefined);
    }
    case "late":
      throw await notReady(asked, server, readiness, followed !== undefined);
  }
}

/** @param isSeen whether the user has seen its log. */
async function notReady(
  asked: Asked,
  server: Server,
  { words, hint, wasReady }: Readiness & { readonly kind: "late" },
  isSeen: boolean,
): Promise<MlcliError> {
  // The log of a server that still runs has no end to wait for. It is asked for also where it is
  // shown: so an engine that is silent is known before it is to remove the container.
  const log = await logTail(asked.engine, server.id) ?? "";
  const quote = isSeen ? undefined : shownTail(log);
  if (wasReady) {
    const message = "The server returned 200 for /ping at first, but later did not";
    const hint = "Return 200 for each request to /ping: SageMaker replaces a server that does not";
    return new MlcliError(`${message} (${words})`, { quote, hint });
  }
  const error = lastErrorIn(log);
  const why = error === undefined ? words : `${words}; ${error}`;
  return new MlcliError(
    `The server did not return 200 for /ping within ${asked.job.timeout} s (${why})`,
    {
      quote,
      hint: hint ?? await logHint(asked, server, log) ??
        `Increase --timeout if the server needs longer. SageMaker waits ${START_SECONDS / 60} min.`,
    },
  );
}

/** @param isSeen whether the user has seen its log. */
async function endedTooEarly(
  asked: Asked,
  server: Server,
  status: number,
  isSeen: boolean,
): Promise<MlcliError> {
  const { engine, findings } = asked;
  const { words, hint } = await endInWords(engine, server.id, status);
  const log = await logTail(engine, server.id) ?? "";
  const why = endWithError(status, words, log);
  const seeLog = log === ""
    ? "Its log is empty. Start the server by hand in a shell of its container: mlcli local shell serve"
    : "Check its last log lines: serve must start, and model_fn must load the model";
  return new MlcliError(`The server exited before it was ready: ${why}`, {
    quote: isSeen ? undefined : shownTail(log),
    hint: findings.remedyOfOtherCode ?? hint ?? await logHint(asked, server, log) ?? seeLog,
  });
}

/** Returns what to do about the error in the log of a server, if mlcli knows it. */
async function logHint(
  { job, image }: Asked,
  { modelFolder }: Pick<Server, "modelFolder">,
  log: string,
): Promise<string | undefined> {
  const { app } = job;
  const lines = log.split("\n");
  const explaining = explainingLines(lines);
  const missing = explaining.find((line) => missingModule(line) !== undefined) ?? "";
  return privilegesHint(log) ?? machineNameHint(lastErrorIn(log) ?? log, log, job) ??
    readOnlyHint({ kind: "serve", reason: "", log: lines }) ??
    await missingModuleHintOf(missing, { app, code: "prediction", image }) ??
    missingModelFileHint(explaining, modelFolder);
}
