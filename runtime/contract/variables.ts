import { UsageError } from "../errors.ts";
import { jobArn, type PlatformJob } from "./addresses.ts";
import { PATHS } from "./jobs.ts";

export type Variables = Readonly<Record<string, string>>;

/**
 * `ML_*`. SageMaker sets neither these nor `SM_*`: a toolkit in the image does, on SageMaker as
 * here. mlcli's harness is such a toolkit.
 */
export function pathVariables(): Variables {
  return {
    ML_MODEL_DIR: PATHS.model,
    ML_INPUT_DIR: PATHS.input,
    ML_OUTPUT_DIR: PATHS.output,
    ML_CHANNEL_TRAINING: `${PATHS.inputData}/training`,
  };
}

/** SageMaker tells all code that it runs its region. */
export function regionVariables(region: string): Variables {
  return { AWS_REGION: region };
}

export function trainingVariables(job: PlatformJob): Variables {
  return { TRAINING_JOB_NAME: job.name, TRAINING_JOB_ARN: jobArn("train", job) };
}

/** AWS credentials of a profile, for the code in a container (`--aws-credentials`). */
export interface ContainerCredentials {
  readonly profile: string;
  /** `KEY_VARIABLES` and their values. */
  readonly variables: Variables;
  /** When they stop working, in ms since 1970; `undefined`: the profile doesn't say. */
  readonly expires: number | undefined;
}

/** Variables that belong together: AWS accepts no mixture of two profiles. */
export const KEY_VARIABLES = [
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
] as const;

export interface GivenVariable {
  readonly name: string;
  /** `undefined`: that of mlcli's own variable of the name. */
  readonly value: string | undefined;
  /** Where it stands, as the beginning of a message: `Option "--env"`, `prod.env:3`. */
  readonly source: string;
}

/** Variables in which mlcli tells its harness something. (The harness's others are the user's.) */
const RESERVED: readonly string[] = ["MLCLI_ALLOWED_HOSTS", "MLCLI_REPORT"];

/**
 * `NAME=VALUE`, or `NAME` for the value that it has where mlcli runs, on a command line.
 *
 * @throws UsageError when it is neither, or the variable is one of mlcli's own.
 */
export function givenVariable(text: string, source: string): GivenVariable {
  const variable = variableOf(text, source);
  return variable.value === undefined
    ? { ...variable, source: `${source} (${variable.name})` }
    : variable;
}

function variableOf(text: string, source: string): GivenVariable {
  const end = text.indexOf("=");
  const name = end < 0 ? text : text.slice(0, end);
  if (name === "" || text.includes("\0")) {
    const form = "NAME=VALUE, or NAME alone to copy the value from your shell";
    throw new UsageError(`${source} must be ${form}`);
  }
  if (RESERVED.includes(name)) {
    throw new UsageError(`${source}: ${name} is reserved for mlcli`, { hint: "Use another name" });
  }
  return { name, value: end < 0 ? undefined : text.slice(end + 1), source };
}

/**
 * The variables of a file for `--env-file`: one a line, by the rules of Docker's command line
 * (docker/cli, `pkg/kvfile`). Blank lines and those that begin with `#` are left out, blanks before
 * a name too; what follows the `=` is the value to the end of the line, quotes and blanks included.
 *
 * @param path of the file, for messages.
 * @throws UsageError with the number of the line that is wrong.
 */
export function variablesInFile(text: string, path: string): readonly GivenVariable[] {
  return text.replace(/^\uFEFF/, "").split(/\r?\n/).flatMap((line, index) => {
    const written = line.trimStart();
    if (written === "" || written.startsWith("#")) return [];
    const source = `${path}:${index + 1}`;
    const [name = ""] = written.split("=", 1);
    // Docker trims a name without a value, and takes none with blanks.
    const hasValue = written.includes("=");
    if (/\s/.test(hasValue ? name : name.trimEnd())) {
      throw new UsageError(`${source}: a variable name cannot contain spaces`, {
        hint: "Remove spaces and export before the = sign. A value cannot contain line breaks.",
      });
    }
    // A line without a name may be part of a secret: messages have its number only.
    return [variableOf(hasValue ? written : name.trimEnd(), source)];
  });
}

/**
 * The variables with their values; later ones win.
 *
 * @param env mlcli's own variables.
 * @throws UsageError when one without a value is not set there, either.
 */
export function valuesOfGiven(
  variables: readonly GivenVariable[],
  env: (name: string) => string | undefined,
): Variables {
  return Object.fromEntries(variables.map(({ name, value, source }) => {
    const given = value ?? env(name);
    if (given !== undefined) return [name, given];
    throw new UsageError(`${source} has no value, and the variable is not set in your shell`, {
      hint: "Set a value: NAME=VALUE",
    });
  }));
}
