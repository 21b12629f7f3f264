import {
  decodedTrace,
  type Vertex,
  type VertexLog,
  type VertexStatus,
} from "../docker/buildkit_trace.ts";
import { inOneLine, terminalText } from "../text.ts";
import type { BuildEvent } from "./build_events.ts";

/** BuildKit's own steps, such as loading the context. They are shown only if they fail. */
const INTERNAL = /^\[internal\] |^copy \/context \//;

/** The one of them that is shown, since it may take long: it asks a registry for a base image. */
const LOOKING_UP = /^\[internal\] load metadata for /;

/** The error of a step that another step's failure ends. */
const CANCELED = /\bcontext canceled$/;

/**
 * BuildKit 0.14 and later warn of a FROM whose argument has no default. `mlcli build` always gives
 * this one.
 */
const GIVEN_ARGUMENT = /^InvalidDefaultArgInFrom: .*\$\{?BASE_IMAGE\b/;

interface Step {
  readonly name: string;
  state: string;
  readonly decoders: Map<number, TextDecoder>;
}

export class BuildkitOutput {
  readonly #steps = new Map<string, Step>();

  constructor(private readonly onEvent: (event: BuildEvent) => void) {}

  /** Takes a trace in, as the engine's message has it. */
  add(base64: string): void {
    const { vertexes, statuses, logs, warnings } = decodedTrace(base64);
    for (const vertex of vertexes) this.#vertex(vertex);
    for (const status of statuses) this.#status(status);
    for (const log of logs) this.#log(log);
    for (const { short } of warnings) {
      if (GIVEN_ARGUMENT.test(short)) continue;
      this.onEvent({ kind: "warning", text: terminalText(short) });
    }
  }

  #vertex({ digest, name, isCached, started, completed, error }: Vertex): void {
    if (started === undefined && !isCached && error === "") return; // it waits for others
    if (error === "" && this.#isInternal(digest, name, completed)) return;
    if (CANCELED.test(error)) return;
    const state = error !== ""
      ? "failed"
      : isCached
      ? "cached"
      : completed === undefined
      ? "running"
      : "done";
    const step = this.#steps.get(digest) ??
      { name: shownName(name), state: "", decoders: new Map() };
    this.#steps.set(digest, step);
    if (step.state === state) return;
    step.state = state;
    this.onEvent({
      ...{ kind: "step", id: digest, name: step.name, state },
      ...(started === undefined ? {} : { started }),
      ...(completed === undefined ? {} : { ended: completed }),
      ...(error === "" ? {} : { error: terminalText(error) }),
    });
  }

  #isInternal(digest: string, name: string, completed: number | undefined): boolean {
    if (!INTERNAL.test(name)) return false;
    const isQuick = completed !== undefined && !this.#steps.has(digest);
    return !LOOKING_UP.test(name) || isQuick;
  }

  #status({ id, vertex, name, current, total, completed }: VertexStatus): void {
    if (!this.#steps.has(vertex)) return;
    this.onEvent({
      ...{ kind: "transfer", step: vertex, id: inOneLine(id) },
      name: inOneLine(name === "" || name === id ? id : `${id} ${name}`),
      current,
      ...(total > 0 ? { total } : {}),
      isDone: completed !== undefined,
    });
  }

  #log({ vertex, stream, bytes }: VertexLog): void {
    const step = this.#steps.get(vertex);
    if (step === undefined) return;
    const decoder = step.decoders.get(stream) ?? new TextDecoder();
    step.decoders.set(stream, decoder);
    const text = decoder.decode(bytes, { stream: true });
    if (text !== "") this.onEvent({ kind: "log", id: vertex, text });
  }
}

/** Without BuildKit's mark for its own steps, and without the stage's name if there is only one. */
function shownName(name: string): string {
  return inOneLine(name.replace(/^\[internal\] /, "").replace(/^\[stage-0 /, "["));
}
