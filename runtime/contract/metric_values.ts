/**
 * Finds the values of metrics in the output of a training run. SageMaker documents that its expressions
 * search the output and find numbers (API reference, MetricDefinition;
 * https://github.com/aws/sagemaker-python-sdk/issues/3208), but not their dialect.
 *
 * An attacker might have written the expressions and the output. So RE2 runs the expressions, in time linear
 * in the length of a line and in the sizes of the expressions, and both sizes are limited. RE2 does not
 * support lookahead, lookbehind and backreferences: mlcli skips such expressions.
 */

import { RE2JS } from "re2js";
import { type MetricDefinition, METRICS_KEY } from "./metric_definitions.ts";
import { messageOf } from "../errors.ts";
import { type Message, warning } from "../messages.ts";

/** In characters; the rest of a longer line is not searched. */
export const LONGEST_LINE = 4096;

/**
 * Maximum number of steps of all expressions of an app. RE2 compiles an expression to steps, and runs each
 * step once for each character, in up to 40 ns: so a line takes less than a second. `loss=([0-9.]+)` has 11
 * steps; `.{0,999}`, which is expanded, has 1,998.
 */
export const MOST_STEPS = 4000;

export interface Found {
  /** Which definition found it. */
  readonly index: number;
  readonly name: string;
  /** What its first group holds. */
  readonly text: string;
  /** `undefined` if the text is not a number. */
  readonly value: number | undefined;
}

/** A definition that mlcli cannot use locally. */
export interface Unusable {
  readonly definition: MetricDefinition;
  /** Whether the expression is wrong in every dialect. */
  readonly isWrong: boolean;
  readonly reason: string;
}

/**
 * Returns an error for each definition that is wrong in every dialect, and a warning for the others.
 *
 * @param file the configuration file's name.
 */
export function metricProblems(unusable: readonly Unusable[], file: string): readonly Message[] {
  return unusable.map(({ definition: { name, regex }, isWrong, reason }) =>
    isWrong
      ? {
        level: "error",
        message: `${file}: the regex of metric "${name}" is invalid: ${reason}`,
        hint: `Fix this regex in "${METRICS_KEY}": ${regex}`,
      }
      : warning(
        `Local runs skip metric "${name}", because mlcli cannot run its regex: ${reason}`,
        "Remove lookahead, lookbehind and backreferences, and write .* instead of .{0,999}",
      )
  );
}

/** Finds the values of some metrics. */
export class MetricSearch {
  /** Those that are not searched for. */
  readonly unusable: readonly Unusable[];
  readonly #searches: readonly (readonly [index: number, name: string, regex: RE2JS])[];
  /** The steps of all of these. */
  #steps = 0;

  constructor(definitions: readonly MetricDefinition[]) {
    const unusable: Unusable[] = [];
    let steps = 0;
    this.#searches = definitions.flatMap((definition, index) => {
      // Compiling a large one takes most of a second: after one, none is compiled.
      let search = steps > MOST_STEPS ? tooLarge(definition) : compiled(definition);
      if (search instanceof RE2JS) {
        steps += search.programSize();
        if (steps > MOST_STEPS) search = tooLarge(definition);
      }
      if (!(search instanceof RE2JS)) {
        unusable.push(search);
        return [];
      }
      this.#steps = steps;
      return [[index, definition.name, search] as const];
    });
    this.unusable = unusable;
  }

  /** What searching a line may cost, in steps; the 10 are for beginning each search. */
  costOf(line: { readonly length: number }): number {
    return this.#steps * (line.length + 10);
  }

  /** The first value of each definition in a line. */
  in(line: string): readonly Found[] {
    const found: Found[] = [];
    let asLogged: string | undefined;
    for (const [index, name, regex] of this.#searches) {
      asLogged ??= loggedLine(line);
      const text = firstGroup(regex, line) ??
        (asLogged === line ? undefined : firstGroup(regex, asLogged));
      if (text !== undefined) found.push({ index, name, text, value: numberIn(text) });
    }
    return found;
  }
}

function tooLarge(definition: MetricDefinition): Unusable {
  const reason =
    `together with the earlier regexes, it is too large (more than ${MOST_STEPS} steps)`;
  return { definition, isWrong: false, reason };
}

function compiled(definition: MetricDefinition): RE2JS | Unusable {
  const { regex } = definition;
  let search: RE2JS;
  try {
    search = RE2JS.compile(regex);
  } catch (error) {
    const reason = messageOf(error).replace(/^error parsing regexp: /, "");
    return { definition, isWrong: !isRegExp(regex), reason };
  }
  if (search.groupCount() > 0) return search;
  return {
    definition,
    isWrong: true,
    reason: "it has no group for the value (write loss=([0-9.]+), not loss=[0-9.]+)",
  };
}

/** Whether JavaScript takes the expression: it has what RE2 leaves out. */
function isRegExp(regex: string): boolean {
  try {
    return new RegExp(regex.replace(/^\(\?[a-z]+\)/, "").replaceAll("(?P<", "(?<")) !== undefined;
  } catch {
    return false;
  }
}

function firstGroup(regex: RE2JS, line: string): string | undefined {
  const matcher = regex.matcher(line);
  return matcher.find() ? matcher.group(1) ?? undefined : undefined;
}

/**
 * A line as SageMaker's log has it, which the expressions for its own algorithms are made for: control
 * characters are written as their octal numbers (`[0]#011train-error:0.2`, in developer guide, "Tune an
 * XGBoost Model": `.*\[[0-9]+\].*#011validation-auc:(\S+)`).
 */
function loggedLine(line: string): string {
  // deno-lint-ignore no-control-regex
  const logged = line.replace(/[\x00-\x1f\x7f]/g, (letter) => {
    return `#${letter.charCodeAt(0).toString(8).padStart(3, "0")}`;
  });
  return logged.slice(0, LONGEST_LINE);
}

/** Only decimal numbers: `nan`, `inf` and `12%` have no place in a curve. */
function numberIn(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : undefined;
}
