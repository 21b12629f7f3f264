/** The output of a build's steps, and the error that tells why one of them failed. */

import type { NamedDirectory } from "../app/named_path.ts";
import { requirementsOf, requirementTreeOf } from "../app/requirements.ts";
import { normalizedName, requirementNames } from "../contract/missing_modules.ts";
import { hintFor } from "../docker/errors.ts";
import { MlcliError } from "../errors.ts";
import { inOneLine, terminalText } from "../text.ts";
import { buildCause, decisiveWords, type FailedStep } from "./build_causes.ts";
import type { BuildEvent } from "./build_events.ts";
import type { ChosenDockerfile } from "./chosen_dockerfile.ts";
import { withoutPasswords } from "./network/addresses.ts";
import type { BuildNetwork } from "./network/build_network.ts";
import type { BuildRequest } from "./request.ts";

/** In characters, of each step. */
const KEPT = 2_000_000;

export class StepOutputs {
  readonly #texts = new Map<string, string>();
  #failed: { readonly id: string; readonly name: string } | undefined;

  constructor(private readonly passwords: readonly string[]) {}

  add(event: BuildEvent): void {
    if (event.kind === "log") {
      const text = (this.#texts.get(event.id) ?? "") + event.text;
      this.#texts.set(event.id, text.length > 2 * KEPT ? text.slice(-KEPT) : text);
    } else if (event.kind === "step" && event.state === "failed") {
      this.#failed = event;
    } else if (event.kind === "step" && event.state !== "running") {
      this.#texts.delete(event.id);
    }
  }

  get failed(): Pick<FailedStep, "name" | "lines"> | undefined {
    if (this.#failed === undefined) return undefined;
    const { id, name } = this.#failed;
    // A password can be split between two events.
    const text = withoutPasswords(this.#texts.get(id) ?? "", this.passwords);
    return { name, lines: terminalText(text).trimEnd().split("\n") };
  }
}

/** So many lines are in view above the error. */
const IN_VIEW = 10;

/** pip's words around the output of another program. */
const NOISE = /subprocess|metadata-generation-failed|legacy-install-failure|not pip|See above/;

/** Returns the lines of a long output that might name the cause. */
export function errorLines(lines: readonly string[]): string {
  if (lines.length <= IN_VIEW) return "";
  const told = lines.filter((line) => line.trim() !== "" && !NOISE.test(line));
  const errors = told.filter((line) => /error\b|\bfatal\b|not found|cannot |denied/i.test(line));
  return (errors.length > 0 ? errors : told).slice(-5).map(decisiveWords).join("\n");
}

/** Where `install` finds the requirements in the image. */
const INSTALLED = "/opt/mlcli/requirements.txt";

interface FailedBuild {
  readonly request: BuildRequest;
  readonly dockerfile: ChosenDockerfile;
  readonly own: NamedDirectory | undefined;
  readonly network: Pick<BuildNetwork, "hint">;
}

/** Returns the error of a build, with the cause in the output of the failed step. */
export async function explainedFailure(
  error: unknown,
  { failed }: StepOutputs,
  { request: { app, baseImage }, dockerfile: { shown: dockerfile }, own, network }: FailedBuild,
): Promise<unknown> {
  if (failed === undefined || !(error instanceof MlcliError)) return error;
  const known = [error.message, ...failed.lines.slice(-IN_VIEW)].map(hintFor)
    .find((hint) => hint !== undefined);
  if (known !== undefined) {
    const quote = errorLines(failed.lines);
    return new MlcliError(error.message, { quote, hint: known, cause: error });
  }
  const { files: [main = ""], isLock } = await requirementsOf(app);
  const files = own ? undefined : (await requirementTreeOf(app))?.files;
  const key = app.configuration.baseImage ? "base_image" : "python_version";
  const found = buildCause({
    name: failed.name,
    lines: [...failed.lines, error.message],
    dockerfile,
    networkHint: network.hint,
    file: own ? "the requirements file" : inOneLine(main),
    python: own
      ? `another image in ${dockerfile}`
      : `another ${baseImage ? "--base-image" : `"${key}" in ${app.name}.json`}`,
    lineOf: (distribution) => {
      for (const [path, lines] of files ?? []) {
        const its = lines.find(({ requirement = "" }) =>
          requirementNames(requirement).has(normalizedName(distribution))
        );
        if (its) return `${inOneLine(path)}, line ${its.line}`;
      }
    },
    shownFile: (path) => own || files?.has(path) ? path : path === INSTALLED && !isLock ? main : "",
  });
  const { words, ...details } = found ??
    { quote: errorLines(failed.lines), hint: error.hint ?? "" };
  return new MlcliError(words ? `Build failed: ${words}` : error.message, {
    ...details,
    cause: error,
  });
}
