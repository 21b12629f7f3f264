import { readOnlyHint } from "../../contract/failure_causes.ts";
import { START_SECONDS } from "../../contract/limits.ts";
import { missingModule } from "../../contract/missing_modules.ts";
import { lastErrorIn } from "../../contract/outcome.ts";
import type { Engine } from "../../docker/engine.ts";
import type { ImageDetails } from "../../docker/images.ts";
import { MlcliError } from "../../errors.ts";
import { logTail, untilReady } from "../../serving/ready.ts";
import { abortOf } from "../../time.ts";
import { endInWords } from "../container/end.ts";
import { privilegesHint } from "../container/last_output.ts";
import { machineNameHint } from "../container/machine_name.ts";
import type { Findings } from "../differences/findings.ts";
import type { ServingJob } from "../jobs.ts";
import { missingModuleHintOf } from "../missing_module.ts";
import type { Server } from "./servers.ts";

interface Asked {
  readonly job: Pick<ServingJob, "app" | "timeout" | "network" | "strict">;
  readonly image: ImageDetails;
  readonly engine: Engine;
  readonly signal: AbortSignal;
  readonly findings: Findings;
}

/**
 * Waits until a server that was started answers.
 *
 * @param published its port on this machine.
 * @param followed its log, where somebody sees it.
 * @throws MlcliError where it ended, or the time is over; the signal's reason.
 */
export async function requireReady(
  asked: Asked,
  server: Server,
  published: number,
  followed: Promise<void> | undefined,
): Promise<void> {
  const { job, engine, signal } = asked;
  const { id } = server;
  const readiness = await untilReady(engine, { id, port: published }, job.timeout, signal);
  switch (readiness.kind) {
    case "ready":
      return;
    case "ended": {
      // Who follows the start has seen the log. The container stays until all of it was read.
      if (followed) await Promise.race([followed.catch(() => {}), abortOf(signal)]);
      throw await endedTooEarly(asked, server, readiness.status, followed !== undefined);
    }
    case "late": {
      // The log of a server that still runs has no end to wait for. It is asked for also where it is
      // shown: so an engine that is silent is known before it is to remove the container.
      const end = await logTail(engine, server.id);
      const quote = followed ? undefined : end;
      throw notReady(job.timeout, readiness.lastAnswer, readiness.wasReady, quote);
    }
  }
}

function notReady(
  timeout: number,
  lastAnswer: string,
  wasReady: boolean,
  quote: string | undefined,
): MlcliError {
  const within = `within ${timeout} s`;
  if (!wasReady) {
    return new MlcliError(`The server did not answer /ping with 200 ${within} (${lastAnswer})`, {
      quote,
      hint: `--timeout gives it longer. SageMaker waits for ${START_SECONDS / 60} minutes.`,
    });
  }
  return new MlcliError(
    `The server did not go on answering /ping with 200 ${within}: 200 at first, then ${lastAnswer}`,
    {
      quote,
      hint: "SageMaker asks again and again, and replaces a server that does not answer with " +
        "200 each time.",
    },
  );
}

/** @param isSeen whether the user has seen its log. */
async function endedTooEarly(
  { job, engine, image, findings }: Asked,
  server: Server,
  status: number,
  isSeen: boolean,
): Promise<MlcliError> {
  const { app } = job;
  const { words, hint } = await endInWords(engine, server.id, status);
  const log = await logTail(engine, server.id) ?? "";
  const missing = log.split("\n").findLast((line) => missingModule(line) !== undefined) ?? "";
  return new MlcliError(`The server ended before it was ready: ${words}`, {
    quote: isSeen ? undefined : log,
    hint: findings.remedyOfOlderCode ?? hint ?? privilegesHint(log) ??
      machineNameHint(lastErrorIn(log) ?? log, log, job) ??
      readOnlyHint({ kind: "serve", reason: "", log: log.split("\n") }) ??
      await missingModuleHintOf(missing, { app, code: "prediction", image }) ??
      "Its log says why: serve must start, and model_fn must load the model.",
  });
}
