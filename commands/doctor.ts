import type { Check } from "../runtime/doctor/check.ts";
import { MlcliError } from "../runtime/errors.ts";
import { wrap } from "../runtime/messages.ts";
import { counted } from "../runtime/quantities.ts";
import type { Output } from "../runtime/streams.ts";
import { jsonText, printable } from "../runtime/text.ts";
import { command } from "./command.ts";
import { options } from "./options/option.ts";
import { cloudOptions, dockerTag, outputFormat, serverPort } from "./options/shared.ts";

const OPTIONS = options({
  ...dockerTag,
  "--port": {
    ...serverPort["--port"],
    description: "Port to check for local deploy",
    completion: undefined,
  },
  "--cloud": { description: "Also check AWS credentials, region and roles" },
  ...cloudOptions,
  ...outputFormat,
});

export default command({
  details: "mlcli prints a hint for each problem, and exits with 1 if a check fails",
  options: OPTIONS,
  examples: [
    ["Check this machine and the app in this directory", "mlcli doctor"],
    ["Also check access to SageMaker", "mlcli doctor --cloud --region eu-west-1"],
  ],
  action: async (context, options) => {
    const { diagnose } = await import("../runtime/doctor/doctor.ts");
    const { unknownKeys } = await import("./chosen_app.ts");
    const { green, red, yellow } = await import("./render/format.ts");
    const { out } = context;
    const { checks, platform } = await diagnose({
      ...options,
      unknownKeysOf: unknownKeys,
      cloud: options.cloud ? options : undefined,
    }, context);
    const all = [...checks, ...platform];
    if (options.output === "json") {
      out.print(jsonText(all.map(jsonCheck)));
    } else {
      const colours = { ok: green, warning: yellow, problem: red, unknown: yellow, note: String };
      const text = (checks: readonly Check[]): string =>
        checks.map((check) => textOf(check, out, colours[statusOf(check)])).join("");
      const differs = platform.some(({ level }) => level !== "ok");
      out.print(text(checks) + (differs ? `\n${PLATFORM_HEADING}\n` : "") + text(platform));
    }
    const problems = all.filter(({ level }) => level === "error").length;
    if (problems === 0) return;
    throw new MlcliError(`${problems} of ${counted(all.length, "check")} failed`);
  },
});

const PLATFORM_HEADING = "Differences from SageMaker:";

/** Width of the column of statuses, with a space. */
const STATUS_WIDTH = 9;

function textOf(check: Check, out: Output, paint: (text: string) => string): string {
  const { message, hint } = check;
  const status = statusOf(check);
  const text = printable(hint === undefined ? message : `${message}\nhint: ${hint}`);
  const lines = wrap(text, out.isTerminal ? out.columns : Infinity, STATUS_WIDTH);
  const sign = out.colour ? paint(status) : status;
  return `${sign}${" ".repeat(STATUS_WIDTH - status.length)}${lines}\n`;
}

function jsonCheck(check: Check) {
  const { name, message, hint } = check;
  return { name, status: statusOf(check), message, hint: hint ?? null };
}

/** Returns the level in the words of doctor's output. */
function statusOf({ level }: Check) {
  return level === "error" ? "problem" : level;
}
