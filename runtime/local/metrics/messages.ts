import {
  type MetricDefinition,
  METRICS_KEY,
  SAMPLE_METRIC,
} from "../../contract/metric_definitions.ts";
import { MlcliError } from "../../errors.ts";
import type { Message, Messages } from "../../messages.ts";
import { shortNumber } from "../../quantities.ts";
import { inOneLine } from "../../text.ts";
import type { Metric, Metrics } from "./metrics.ts";

/** The line of metrics at the bottom of the terminal. */
export interface MetricsLine {
  text: string;
}

/** The last value of each metric, in a line: `loss 0.25  accuracy 0.91`. */
export function lastValues(metrics: readonly Pick<Metric, "name" | "last">[]): string {
  return metrics.map(({ name, last }) => `${inOneLine(name)} ${shortNumber(last)}`).join("  ");
}

/**
 * Prints warnings about definitions that cannot be used locally.
 *
 * @throws MlcliError for an expression that is invalid in every dialect.
 */
export function sayProblems(problems: readonly Message[], messages: Messages): void {
  for (const problem of problems) {
    if (problem.level === "error") throw new MlcliError(problem.message, problem);
    messages.tell([problem]);
  }
}

/** Prints the last values on a terminal, and the command that draws the curves. */
export function sayMetrics(metrics: readonly Metric[], messages: Messages): void {
  if (!messages.err.isTerminal || metrics.length === 0) return;
  messages.state(`Metrics: ${lastValues(metrics)}`);
  if (metrics.some(({ count }) => count > 1)) messages.state("Curves: mlcli local ui");
}

/**
 * Warns of the definitions that found nothing in all that the training wrote. `mlcli init` wrote the
 * sample's definition: the user's own code need not print a loss.
 */
export function sayUnmatched(
  metrics: Pick<Metrics, "unmatched" | "withoutNumber">,
  file: string,
  messages: Messages,
): void {
  const correct = ({ regex }: MetricDefinition): string =>
    `Change or remove it in "${METRICS_KEY}" of ${file}: its regex is ` +
    inOneLine(JSON.stringify(regex)) +
    (/[\b\f\n\r\t]/.test(regex) ? String.raw`. In JSON, "\b" is a backspace: write "\\b".` : "");
  const isOwn = ({ regex }: MetricDefinition): boolean => regex !== SAMPLE_METRIC.Regex;
  for (const definition of metrics.unmatched.filter(isOwn)) {
    const message = `Metric definition "${inOneLine(definition.name)}" matched no line of the log`;
    messages.warning(message, correct(definition));
  }
  for (const [definition, text] of metrics.withoutNumber.filter(([one]) => isOwn(one))) {
    const found = inOneLine([...text].slice(0, 40).join(""));
    const message = `Metric definition "${inOneLine(definition.name)}" found "${found}", ` +
      "which is not a number";
    messages.warning(message, correct(definition));
  }
}
