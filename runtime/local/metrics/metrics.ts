import { LONGEST_LINE, MetricSearch, type Unusable } from "../../contract/metric_values.ts";
import { type MetricDefinition, MOST_SAMPLES } from "../../contract/metric_definitions.ts";
import { type Output, overlaid } from "../../streams.ts";
import { withoutSequences } from "../../text.ts";

/**
 * Makes lines of pieces: they end with a line feed, or with a carriage return, as each state of a
 * progress bar does. Colours are taken out.
 */
export class Lines {
  readonly #decoder = new TextDecoder();
  #rest = "";

  /** Takes the next bytes: the lines that end in them. */
  *take(bytes: Uint8Array): Generator<string, void, void> {
    const parts = this.#decoder.decode(bytes, { stream: true }).split(/[\r\n]/);
    this.#add(parts[0]!);
    for (const part of parts.slice(1)) {
      yield* this.end();
      this.#add(part);
    }
  }

  /** The stream has ended: so has its last line. */
  *end(): Generator<string, void, void> {
    const line = this.#rest;
    this.#rest = "";
    if (line !== "") yield withoutSequences(line);
  }

  #add(part: string): void {
    const room = LONGEST_LINE - this.#rest.length;
    if (room > 0) this.#rest += part.slice(0, room);
  }
}

export interface Sample {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly value: number;
}

export interface Metric {
  readonly name: string;
  readonly count: number;
  readonly last: number;
  readonly least: number;
  readonly most: number;
  /** The first values, as many as are kept. */
  readonly samples: readonly Sample[];
}

/** Steps (`MetricSearch.costOf`) after which others have a turn, such as Ctrl-C: up to 0.4 s. */
const STEPS_OF_A_TURN = 10_000_000;

/** What is still looked at once the run is interrupted, in steps: of 50 steps, 400 KB of output. */
const LAST_STEPS = 20_000_000;

/** The beginning of a line in a log: its stream and, if there are several hosts, its host. */
const LOG_MARK = /^(?:out|err) (?:algo-\d+: )?/;

export class Metrics {
  /** Called with each value that is kept. */
  onSample: (name: string, sample: Sample) => void = () => {};
  readonly #search: MetricSearch;
  readonly #metrics = new Map<string, Metric & { samples: Sample[] }>();
  readonly #matched = new Set<number>();
  readonly #noNumbers = new Map<number, string>();
  #kept = 0;
  #steps = 0;
  #lastSteps = LAST_STEPS;

  /** @param now what time it is, in milliseconds since 1970. */
  constructor(
    readonly definitions: readonly MetricDefinition[],
    private readonly now: () => number,
  ) {
    this.#search = new MetricSearch(definitions);
  }

  costOf(text: { readonly length: number }): number {
    return this.#search.costOf(text);
  }

  get unusable(): readonly Unusable[] {
    return this.#search.unusable;
  }

  /** In the order in which they were defined. */
  get all(): readonly Metric[] {
    const names = [...new Set(this.definitions.map(({ name }) => name))];
    return names.flatMap((name) => this.#metrics.get(name) ?? []);
  }

  /** Those that could be used and matched no line. */
  get unmatched(): readonly MetricDefinition[] {
    const unusable = this.unusable.map(({ definition }) => definition);
    return this.definitions.filter((definition, index) =>
      !this.#matched.has(index) && !unusable.includes(definition)
    );
  }

  /** Those that matched something, but never a number, and what that was. */
  get withoutNumber(): readonly (readonly [definition: MetricDefinition, text: string])[] {
    return this.definitions.flatMap((definition, index) => {
      const text = this.#noNumbers.get(index);
      const isNone = text !== undefined && !this.#metrics.has(definition.name);
      return isNone ? [[definition, text] as const] : [];
    });
  }

  /**
   * The same streams; what is written to them is searched. `end` is to be called after the last byte.
   *
   * @param interrupted after that little is looked at: nobody waits for the rest.
   */
  listen(
    { out, err }: { readonly out: Output; readonly err: Output },
    interrupted: AbortSignal,
    onNews: (metrics: Metrics) => void,
  ): { readonly out: Output; readonly err: Output; readonly end: () => Promise<void> } {
    const linesOf = { out: new Lines(), err: new Lines() };
    const searched = (output: Output, lines: Lines): Output =>
      overlaid(output, {
        write: async (bytes) => {
          await this.#searchAll(lines.take(bytes), interrupted);
          onNews(this);
          await output.write(bytes);
        },
      });
    return {
      out: searched(out, linesOf.out),
      err: searched(err, linesOf.err),
      end: async () => {
        await this.#searchAll(linesOf.out.end(), interrupted);
        await this.#searchAll(linesOf.err.end(), interrupted);
      },
    };
  }

  /** Searches a log that was kept. Throws the signal's reason. */
  async searchLog(path: string, signal: AbortSignal): Promise<void> {
    const lines = new Lines();
    const search = (found: Generator<string>): Promise<void> =>
      this.#searchAll(found.map((line) => line.replace(LOG_MARK, "")), signal);
    for await (const bytes of (await Deno.open(path)).readable) {
      await search(lines.take(bytes));
      signal.throwIfAborted();
    }
    await search(lines.end());
  }

  async #searchAll(lines: Iterable<string>, interrupted: AbortSignal): Promise<void> {
    for (const line of lines) {
      const cost = this.#search.costOf(line);
      this.#steps += cost;
      if (this.#steps > STEPS_OF_A_TURN) {
        this.#steps = 0;
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      if (interrupted.aborted) this.#lastSteps -= cost;
      if (this.#lastSteps <= 0) return;
      this.#find(line);
    }
  }

  #find(line: string): void {
    for (const { index, name, text, value } of this.#search.in(line)) {
      this.#matched.add(index);
      if (value === undefined) {
        if (!this.#noNumbers.has(index)) this.#noNumbers.set(index, text);
        continue;
      }
      this.#take(name, { time: this.now(), value });
    }
  }

  #take(name: string, sample: Sample): void {
    const { value } = sample;
    const before = this.#metrics.get(name);
    const samples = before?.samples ?? [];
    if (this.#kept < MOST_SAMPLES) {
      this.#kept++;
      samples.push(sample);
      this.onSample(name, sample);
    }
    this.#metrics.set(name, {
      name,
      count: (before?.count ?? 0) + 1,
      last: value,
      least: Math.min(before?.least ?? value, value),
      most: Math.max(before?.most ?? value, value),
      samples,
    });
  }
}
