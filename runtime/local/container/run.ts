import type { Context, Interruption } from "../../context.ts";
import type { End } from "../../contract/outcome.ts";
import { BrokenEngine, isNotFound } from "../../docker/errors.ts";
import type { CreateBody, Engine, Waited } from "../../docker/engine.ts";
import { demultiplex, type OutputPiece } from "../../docker/frames.ts";
import type { Upgraded } from "../../docker/upgrade.ts";
import { OutputClosed } from "../../errors.ts";
import { abortOf, forcedEnd, onAbort } from "../../time.ts";
import {
  attachContainer,
  createContainer,
  discardContainer,
  startContainer,
  withOptionalParts,
} from "./create.ts";
import { endInWords, failIfNeverEnds, killOnAbort, statusAfterOutput } from "./end.ts";
import { privilegesHint, Tail } from "./last_output.ts";
import { cannotPublish } from "../../serving/ports.ts";
import type { Input, Keyboard } from "../../streams.ts";

export interface RunOptions {
  readonly grace: number;
  /** Called once it is created: what has to be done before its program starts. */
  readonly before?: () => Promise<unknown>;
  /** Stops it, though nobody asks for an end of the run. */
  readonly stop?: AbortSignal;
  /** Called once its program has started. */
  readonly onStart?: () => void;
  /** Called when SIGTERM is sent. */
  readonly onStop?: () => void;
  /** Called where the container may still run when this ends, since the engine does not answer. */
  readonly onLeft?: () => void;
  /** Work after the program has ended, while the engine removes its container. */
  readonly whileRemoved?: (outcome: RunOutcome) => Promise<void>;
}

/** Number of bytes at the end of standard error to search for messages of sudo. */
const TELLING_LENGTH = 8192;

/** For containers that do work for mlcli itself: as with `docker stop`. */
const DEFAULT: RunOptions = { grace: 10 };

/**
 * Destination of output, signals that stop the container, and standard input of the program if its plan
 * allows it.
 */
export type RunHost =
  & Pick<Context, "out" | "err" | "messages" | "interruption">
  & Partial<Pick<Context, "input">>;

export interface RunOutcome extends End {
  readonly status: number;
  /**
   * Why it was stopped: an `Interrupted`, or an `OutputClosed` if the reader has exited. `undefined` if it
   * exited, or after the signal `stop`.
   */
  readonly cause: unknown;
  /** If `stop` stopped it: how long it took to exit, in seconds. */
  readonly stoppedWithin: number | undefined;
}

/**
 * Creates the container, runs it, passes its output on byte for byte, and waits until the engine
 * has removed it. When this returns, the container is gone, whatever happened.
 *
 * @param body has `AutoRemove`.
 * @throws Interrupted when the user stopped the run before its program was started.
 * @throws BrokenEngine when the engine went away, or is silent once the run is to end.
 * @throws PortInUse when another program has a port that the container publishes.
 */
export async function runContainer(
  engine: Engine,
  name: string,
  body: CreateBody,
  host: RunHost,
  options: RunOptions = DEFAULT,
): Promise<RunOutcome> {
  // One that an engine would forget with its exit status stays until that was read. (If mlcli is killed
  // meanwhile, the app's next run removes it.)
  const planned = engine.remembersExitStatus
    ? body
    : { ...body, HostConfig: { ...body.HostConfig, AutoRemove: false } };
  try {
    return await withOptionalParts(
      engine,
      planned,
      (body) => runOnce(engine, name, body, host, options),
    );
  } catch (error) {
    throw cannotPublish(error);
  }
}

async function runOnce(
  engine: Engine,
  name: string,
  body: CreateBody,
  host: RunHost,
  options: RunOptions,
): Promise<RunOutcome> {
  const { signal } = host.interruption;
  signal.throwIfAborted();
  const id = await createContainer(engine, name, body, host.messages);
  const waiting = new AbortController();
  let ended = false;
  let removed = false;
  try {
    await options.before?.();
    signal.throwIfAborted();
    const isRemoved = body.HostConfig.AutoRemove;
    // Both before the start, so that neither a byte nor a fast end is missed.
    const [attached, exit] = await Promise.race([
      Promise.all([
        attachTo(engine, id, body, waiting.signal),
        isRemoved ? engine.wait(id, "next-exit", waiting.signal) : undefined,
      ]),
      abortOf(signal),
    ]);
    signal.throwIfAborted();
    const outcome = await watched(engine, id, body, host, { ...attached, exit, waiting, options });
    ended = true;
    try {
      await options.whileRemoved?.(outcome);
    } finally {
      removed = isRemoved && await wasRemoved(engine, id, waiting, signal);
    }
    return outcome;
  } finally {
    waiting.abort();
    const isGone = removed || await discardContainer(engine, { id, name }, host.messages);
    // An ended container writes no more output, whether or not it still exists.
    if (!isGone && !ended) options.onLeft?.();
  }
}

/** Waits until the engine has removed a container that has ended; a short time only, once the user wants an end. */
async function wasRemoved(
  engine: Engine,
  id: string,
  waiting: AbortController,
  signal: AbortSignal,
): Promise<boolean> {
  using _end = onAbort(signal, () => {
    failIfNeverEnds(engine, id, waiting.signal).catch((error) => waiting.abort(error));
  });
  try {
    await (await engine.wait(id, "removed", waiting.signal)).status;
    return true;
  } catch (error) {
    return isNotFound(error);
  }
}

/** What is there of a container that is to be started. */
interface Prepared extends Attached {
  /** Its end; `undefined`: the engine is asked once its output has ended. */
  readonly exit: Waited | undefined;
  /** Ends all that waits for it. */
  readonly waiting: AbortController;
  readonly options: RunOptions;
}

/** Starts a container, passes its output on, and sees to its end. */
async function watched(
  engine: Engine,
  id: string,
  body: CreateBody,
  host: RunHost,
  { output, connection, exit, waiting, options }: Prepared,
): Promise<RunOutcome> {
  const { grace, onStart, onStop } = options;
  const { signal, force } = host.interruption;
  const { input } = host;
  const keyboard = body.Tty ? input?.keyboard : undefined;
  using _raw = keyboard?.raw();
  await startContainer(engine, id, body);
  onStart?.();
  // A refused stop may mean that it had ended; an engine that has gone will not tell its end.
  const giveUp = (error: unknown): void => {
    if (error instanceof BrokenEngine) waiting.abort(error);
  };
  const reader = { isWaitedFor: false };
  const isHeldUp = (): boolean => reader.isWaitedFor;
  const stop = (): void => {
    engine.stopContainer(id, grace).catch(giveUp);
    failIfNeverEnds(engine, id, waiting.signal, isHeldUp).catch(giveUp);
  };
  const stopAloud = (): void => {
    stop();
    onStop?.();
  };
  using _asked = onAbort(signal, stopAloud);
  let overAt: number | undefined;
  using _over = options.stop && onAbort(options.stop, () => {
    overAt = performance.now();
    stopAloud();
  });
  using _kill = killOnAbort(engine, id, force);
  let inputError: unknown;
  using _typing = connection && input &&
    passInputOn(engine, id, connection, { input, keyboard }, (error) => {
      inputError = error;
      stop();
    });
  const errors = new Tail(TELLING_LENGTH);
  // On a terminal, its standard error is in its standard output.
  const hear = ({ stream, bytes }: OutputPiece): void => {
    if (stream === "stderr" || body.Tty) errors.add(bytes);
  };
  const closed = await passOn(output, host, { hear, stop, reader });
  const status = await statusAfterOutput(engine, id, waiting.signal, exit);
  const { words, hint } = await endInWords(engine, id, status);
  return {
    status,
    words,
    hint: hint ?? privilegesHint(errors.text),
    cause: signal.aborted ? signal.reason : inputError ?? closed,
    stoppedWithin: overAt === undefined ? undefined : (performance.now() - overAt) / 1000,
  };
}

/** What a container writes, and where to write what it reads, if it reads. */
interface Attached {
  readonly output: AsyncIterable<OutputPiece>;
  readonly connection: Upgraded | undefined;
}

async function attachTo(
  engine: Engine,
  id: string,
  body: CreateBody,
  signal: AbortSignal,
): Promise<Attached> {
  if (!body.OpenStdin) {
    const bytes = await attachContainer(body, () => engine.attach(id, signal));
    return { output: demultiplex(bytes), connection: undefined };
  }
  const connection = await attachContainer(body, () => engine.attachWithInput(id, signal));
  const { output } = connection;
  return { output: body.Tty ? ofTerminal(output) : demultiplex(output), connection };
}

async function* ofTerminal(output: AsyncIterable<Uint8Array>): AsyncGenerator<OutputPiece> {
  for await (const bytes of output) yield { stream: "stdout", bytes };
}

/**
 * How long a reader may take nothing once the user wants an end, in ms. (Until its output is taken,
 * its program may wait, and Docker 20.10 then does not see it end.)
 */
const READER_TIMEOUT = 2_000;

/**
 * Writes the output where it was meant to go, to its end; a slow reader slows the container down.
 * When nobody reads any more, stops the container and returns the error that said so.
 *
 * @param reader told whether somebody is to take a piece.
 */
async function passOn(
  output: AsyncIterable<OutputPiece>,
  { out, err, interruption }: RunHost,
  { hear, stop, reader }: {
    readonly hear: (piece: OutputPiece) => void;
    readonly stop: () => void;
    readonly reader: { isWaitedFor: boolean };
  },
): Promise<OutputClosed | undefined> {
  let closed: OutputClosed | undefined;
  let isUnread = false;
  for await (const piece of output) {
    // What the container still writes while it is being stopped or killed is dropped.
    if (closed || isUnread || interruption.force.aborted) continue;
    hear(piece);
    const { stream, bytes } = piece;
    reader.isWaitedFor = true;
    try {
      isUnread = !await wasWritten((stream === "stdout" ? out : err).write(bytes), interruption);
    } catch (error) {
      if (!(error instanceof OutputClosed)) throw error;
      closed = error;
      stop();
    } finally {
      reader.isWaitedFor = false;
    }
  }
  return closed;
}

/** Waits until something is written; only a short time when the user wants an end. */
async function wasWritten(
  written: Promise<void>,
  interruption: Interruption,
): Promise<boolean> {
  using last = forcedEnd(interruption, READER_TIMEOUT);
  return await Promise.race([
    written.then(() => true),
    abortOf(last.signal).catch(() => false),
  ]);
}

/**
 * Passes what is typed, or comes through a pipe, on to a container that has been started, and its end.
 * A container with a terminal gets the size of mlcli's, and hears when that changes.
 *
 * @param onFailure called when standard input cannot be read.
 * @returns what ends it, but for a read that waits for the next key: Deno cannot cancel that.
 */
function passInputOn(
  engine: Engine,
  id: string,
  connection: Pick<Upgraded, "write" | "end">,
  { input, keyboard }: { readonly input: Input; readonly keyboard: Keyboard | undefined },
  onFailure: (error: unknown) => void,
): Disposable {
  let isOver = false;
  pump().catch((error) => isOver || onFailure(error));
  const resized = keyboard && followSize(keyboard);
  return {
    [Symbol.dispose]() {
      isOver = true;
      resized?.[Symbol.dispose]();
    },
  };

  async function pump(): Promise<void> {
    for await (const bytes of input.read()) {
      if (isOver) return;
      // The program may have ended, or closed its input: how it ends says all.
      const isTaken = await connection.write(bytes).then(() => true, () => false);
      if (!isTaken) return;
    }
    await connection.end().catch(() => {});
  }

  function followSize(keyboard: Keyboard): Disposable {
    // A failure is ignored: when the engine went away, the streams that are being read fail, too.
    const tell = (): void => void engine.resize(id, keyboard).catch(() => {});
    tell();
    return keyboard.onResize(tell);
  }
}
