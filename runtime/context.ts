/**
 * Environment of a command: streams, variables, signals, clients. Commands and the runtime get it as a
 * parameter, and no other code reads the terminal, the environment or the signals. This module creates the
 * real one.
 */

import type { Aws } from "./aws/aws.ts";
import type { AwsSettings, RegionConfiguration } from "./aws/settings.ts";
import type { Engine } from "./docker/engine.ts";
import { INTERRUPT_STATUS, Interrupted, type InterruptSignal } from "./errors.ts";
import { wantsColour } from "./person.ts";
import type { Questions } from "./questions.ts";
import { type Input, type Output, outputTo, standardInput, WriteQueue } from "./streams.ts";
import { Messages } from "./messages.ts";
import { CLOCK, type Clock } from "./time.ts";

/** The user's request to stop, in two steps. Each signal's reason is an `Interrupted`. */
export interface Interruption {
  /** Aborted by the first Ctrl-C, SIGTERM or SIGHUP: clean up and end. */
  readonly signal: AbortSignal;
  /** Aborted by the second one: do not wait for anything any more. */
  readonly force: AbortSignal;
}

/** User who runs mlcli, on systems whose users have numbers. */
export interface Caller {
  readonly uid: number;
  readonly gid: number;
}

/** The operating system. */
export interface System {
  readonly os: typeof Deno.build.os;
  /** Root of the paths of its configuration: `/`; tests use another directory. */
  readonly root: string;
}

/** Streams, services and signals of a command. */
export interface Context {
  readonly input: Input;
  readonly out: Output;
  readonly err: Output;
  /** Messages on `err`. */
  readonly messages: Messages;
  readonly env: (name: string) => string | undefined;
  /** Absolute path of the current directory. */
  readonly cwd: string;
  /** `undefined` on Windows. */
  readonly caller: Caller | undefined;
  /** The machine's processor: `x86_64`, `aarch64`. */
  readonly arch: string;
  readonly system: System;
  readonly interruption: Interruption;
  readonly clock: Clock;
  /** Whether `ask` works, because there is a terminal. */
  readonly canAsk: boolean;
  /**
   * Asks the user a question and returns the answer, or the default for an empty one.
   * Returns `undefined` without asking if `canAsk` is false.
   * @throws Interrupted when the user ends the question instead (Ctrl-C, Ctrl-D).
   */
  readonly ask: (question: string, defaultAnswer: string) => Promise<string | undefined>;
  /**
   * The Docker Engine, looked for at the first call.
   * @throws MlcliError when none answers.
   */
  readonly engine: () => Promise<Engine>;
  /** The region that local runs tell their code. There always is one; the SDK is not loaded. */
  readonly region: (configuration: RegionConfiguration) => Promise<string>;
  /**
   * The services of AWS: one session for each different settings. The SDK is loaded when a service is
   * asked for.
   * @throws MlcliError when the profile is not there.
   */
  readonly aws: (settings: AwsSettings) => Promise<Aws>;
}

/** The real context, which has to be disposed of. */
interface LiveContext extends Context, Disposable {}

/**
 * Creates the context of this process. Dispose of it, because its signal listeners keep Deno running.
 *
 * @param noColour whether the command line disables colour.
 * @param isDebug whether notes name the source of credentials.
 */
export function liveContext({ noColour = false, isDebug = false } = {}): LiveContext {
  const interruption = listenForSignals();
  const input = standardInput();
  const queue = new WriteQueue();
  const env: Context["env"] = (name) => Deno.env.get(name);
  const shared = {
    queue,
    wantsColour: (isTerminal: boolean) => wantsColour(isTerminal, noColour, env),
  };
  const out = outputTo(Deno.stdout, { name: "standard output", ...shared });
  const err = outputTo(Deno.stderr, { name: "standard error", ...shared });
  const messages = new Messages(err);
  let engine: Promise<Engine> | undefined;
  let questions: Promise<Questions> | undefined;
  const sessions = new Map<string, Promise<Aws>>();
  // A command can use AWS in several regions; each note is printed once.
  const notes = new Set<string>();
  // Questions go to standard error: only results go to standard output.
  const canAsk = Deno.stdin.isTerminal() && Deno.stderr.isTerminal();
  const context: Context = {
    input,
    out,
    err,
    messages,
    env,
    cwd: Deno.cwd(),
    caller: currentCaller(),
    arch: Deno.build.arch,
    system: { os: Deno.build.os, root: "/" },
    interruption,
    clock: CLOCK,
    canAsk,
    ask: async (question, defaultAnswer) => {
      if (!canAsk) return undefined;
      return await (await (questions ??= questionsOnTerminal())).ask(question, defaultAnswer);
    },
    engine: () => engine ??= connect(),
    region: async (configuration) => {
      const { localRegion } = await import("./aws/settings.ts");
      return await localRegion(configuration, context.env);
    },
    aws: (settings) => {
      const key = JSON.stringify(settings);
      const aws = sessions.get(key) ?? open(settings);
      sessions.set(key, aws);
      return aws;
    },
  };
  async function connect(): Promise<Engine> {
    const { connectToEngine } = await import("./docker/connect.ts");
    const onWait = (text: string): void => sayWaiting(err, text);
    return await connectToEngine(context, { signal: interruption.signal, limits: { onWait } });
  }
  async function open(settings: AwsSettings): Promise<Aws> {
    const { openAws } = await import("./aws/aws.ts");
    const { overruledNotes } = await import("./aws/settings.ts");
    const aws = await openAws(settings, {
      env: context.env,
      signal: interruption.signal,
      onCredentials: (source) => isDebug && note(`Found credentials in ${source}`),
    });
    overruledNotes(settings).forEach(note);
    return aws;
  }
  function note(text: string): void {
    if (!notes.has(text)) messages.note(text);
    notes.add(text);
  }
  async function questionsOnTerminal(): Promise<Questions> {
    const { openQuestions } = await import("./questions.ts");
    const { stdin } = await import("node:process");
    return openQuestions(stdin, context.err, interruption.signal);
  }
  function dispose(): void {
    interruption[Symbol.dispose]();
    questions?.then((opened) => opened[Symbol.dispose](), () => {});
    engine?.then((opened) => opened.close(), () => {});
    for (const session of sessions.values()) session.then((opened) => opened.close(), () => {});
  }
  return { ...context, [Symbol.dispose]: dispose };
}

/** On a terminal, it replaces the progress line, which is drawn again below. */
function sayWaiting(err: Output, text: string): void {
  try {
    err.print(err.isTerminal ? `\r${text}\x1b[K\n` : `${text}\n`);
  } catch {
    // A closed output must not end the wait.
  }
}

function currentCaller(): Caller | undefined {
  const uid = Deno.uid();
  const gid = Deno.gid();
  return uid === null || gid === null ? undefined : { uid, gid };
}

/** How long the second signal waits for a container to be killed and removed, in ms. */
const CLEAN_UP_LIMIT = 5_000;

/** Turns the signals that end a program into an `Interruption`; a third one ends it at once. */
function listenForSignals(): Interruption & Disposable {
  const first = new AbortController();
  const second = new AbortController();
  // Windows has no SIGTERM and no SIGHUP to listen for.
  const signals: InterruptSignal[] = Deno.build.os === "windows"
    ? ["SIGINT"]
    : ["SIGINT", "SIGTERM", "SIGHUP"];
  const listeners = signals.map((signal) => ({
    signal,
    listener(): void {
      if (!first.signal.aborted) return first.abort(new Interrupted(signal));
      if (second.signal.aborted) Deno.exit(INTERRUPT_STATUS[signal]);
      second.abort(new Interrupted(signal));
      // Cleaning up takes only a moment, unless the engine does not answer any more.
      Deno.unrefTimer(setTimeout(() => Deno.exit(INTERRUPT_STATUS[signal]), CLEAN_UP_LIMIT));
    },
  }));
  for (const { signal, listener } of listeners) Deno.addSignalListener(signal, listener);
  return {
    signal: first.signal,
    force: second.signal,
    [Symbol.dispose]() {
      for (const { signal, listener } of listeners) Deno.removeSignalListener(signal, listener);
    },
  };
}
