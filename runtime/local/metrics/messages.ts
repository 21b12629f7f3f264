import {
  type MetricDefinition,
  METRICS_KEY,
  SAMPLE_METRIC,
} from "../../contract/metric_definitions.ts";
import type { MetricProblem } from "../../contract/metric_values.ts";
import { MlcliError } from "../../errors.ts";
import { type MessageStream, tell, warningText } from "../../messages.ts";
import { shortNumber } from "../../quantities.ts";
import { inOneLine } from "../../text.ts";
import type { Metric, Metrics } from "./metrics.ts";
import { fit } from "../../cells.ts";
import { type Output, overlaid } from "../../streams.ts";

/** The last value of each metric, in a line: `loss 0.25  accuracy 0.91`. */
export function lastValues(metrics: readonly Pick<Metric, "name" | "last">[]): string {
  return metrics.map(({ name, last }) => `${inOneLine(name)} ${shortNumber(last)}`).join("  ");
}

/**
 * Says what of the definitions cannot be used here.
 *
 * @throws MlcliError for an expression that means nothing anywhere.
 */
export function sayProblems(problems: readonly MetricProblem[], err: MessageStream): void {
  for (const { message, hint, isWrong } of problems) {
    if (isWrong) throw new MlcliError(message, { hint });
    tell(err, warningText(message, hint));
  }
}

/** Prints the last values on a terminal, and the command that draws the curves. */
export function sayMetrics(metrics: readonly Metric[], err: MessageStream): void {
  if (!err.isTerminal || metrics.length === 0) return;
  const hasCurve = metrics.some(({ count }) => count > 1);
  tell(err, `Metrics: ${lastValues(metrics)}\n${hasCurve ? "Curves: mlcli local ui\n" : ""}`);
}

/**
 * Warns of the definitions that found nothing in all that the training wrote. `mlcli init` wrote the
 * sample's definition: the user's own code need not print a loss.
 */
export function sayUnmatched(
  metrics: Pick<Metrics, "unmatched" | "withoutNumber">,
  file: string,
  err: MessageStream,
): void {
  const correct = ({ regex }: MetricDefinition): string =>
    `Change or remove it in "${METRICS_KEY}" of ${file}: its regex is ` +
    inOneLine(JSON.stringify(regex)) +
    (/[\b\f\n\r\t]/.test(regex) ? String.raw`. In JSON, "\b" is a backspace: write "\\b".` : "");
  const isOwn = ({ regex }: MetricDefinition): boolean => regex !== SAMPLE_METRIC.Regex;
  for (const definition of metrics.unmatched.filter(isOwn)) {
    const message = `Metric definition "${inOneLine(definition.name)}" matched no line of the log`;
    tell(err, warningText(message, correct(definition)));
  }
  for (const [definition, text] of metrics.withoutNumber.filter(([one]) => isOwn(one))) {
    const found = inOneLine([...text].slice(0, 40).join(""));
    const message = `Metric definition "${inOneLine(definition.name)}" found "${found}", ` +
      "which is not a number";
    tell(err, warningText(message, correct(definition)));
  }
}

const LINE_FEED = 10;

/** Shows a line on standard error, where that is a terminal. */
export class StatusLine {
  #text = "";
  #isShown = false;
  #atStart = true;

  constructor(private readonly streams: { readonly out: Output; readonly err: Output }) {}

  /** The same streams, for all that is to stand above the line. */
  get above(): { readonly out: Output; readonly err: Output } {
    return { out: this.#over(this.streams.out), err: this.#over(this.streams.err) };
  }

  /** From now on shows this text, cut to the terminal's width; an empty one shows nothing. */
  set(text: string): void {
    this.#text = text;
  }

  /** Takes the line away for good. */
  close(): void {
    this.#text = "";
    this.#hide();
  }

  #over(output: Output): Output {
    const { err } = this.streams;
    const sharesLine = output === err || output.isTerminal && err.isTerminal;
    const wrote = (endsLine: boolean): void => {
      if (sharesLine) this.#atStart = endsLine;
      this.#show();
    };
    return overlaid(output, {
      write: async (bytes) => {
        this.#hide();
        await output.write(bytes);
        if (bytes.length > 0) wrote(bytes.at(-1) === LINE_FEED);
      },
      print: (text) => {
        this.#hide();
        // A message of mlcli's own does not go on in the line that the code has begun.
        output.print(sharesLine && !this.#atStart ? `\n${text}` : text);
        if (text !== "") wrote(text.endsWith("\n"));
      },
    });
  }

  #show(): void {
    const { err } = this.streams;
    if (!err.isTerminal || this.#text === "" || !this.#atStart) return;
    // One column less: a line that fills its row may begin another one.
    err.print(fit(this.#text, err.columns - 1));
    this.#isShown = true;
  }

  #hide(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.streams.err.print("\r\x1b[K");
  }
}
