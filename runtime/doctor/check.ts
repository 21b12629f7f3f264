import { fileErrorHint, Interrupted, isSystemError, messageOf, MlcliError } from "../errors.ts";

export interface Check {
  /** What was looked at: `engine`, `disk`, `image`, ... */
  readonly name: string;
  /** `problem`: commands will fail. `unknown`: it could not be checked; the message says why. */
  readonly status: "ok" | "warning" | "problem" | "unknown";
  readonly message: string;
  readonly hint?: string;
}

/**
 * What a check finds; an error for the user is a finding, too.
 *
 * @throws other errors: a defect of mlcli, or Ctrl-C.
 */
export async function guarded(
  name: string,
  check: () => Promise<readonly Check[]>,
  status: Check["status"] = "problem",
): Promise<readonly Check[]> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof MlcliError && error.cause instanceof Interrupted) throw error.cause;
    if (error instanceof MlcliError) {
      const quote = error.quote ? `\n${error.quote.trimEnd()}` : "";
      return [{ name, status, message: `${error.message}${quote}`, hint: error.hint }];
    }
    if (!isSystemError(error)) throw error;
    const message = messageOf(error).replace(/ \(os error \d+\)/, "");
    return [{ name, status, message, hint: fileErrorHint(error) }];
  }
}

/** Without findings that several checks have in common. */
export function withoutRepeats(checks: readonly Check[]): readonly Check[] {
  const messages = checks.map(({ message }) => message);
  return checks.filter(({ message }, index) => messages.indexOf(message) === index);
}
