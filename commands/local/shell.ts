import { shellWord } from "../../runtime/app/typed_path.ts";
import type { Role } from "../../runtime/contract/jobs.ts";
import { UsageError } from "../../runtime/errors.ts";
import { alternatives } from "../../runtime/text.ts";
import { appCommand, type AppValues } from "../command.ts";
import { containerOptions, publishOption } from "../options/container.ts";
import { options } from "../options/option.ts";

const ROLES = ["train", "process", "serve"] as const satisfies readonly Role[];

function parseRole(text: string, source: string): typeof ROLES[number] {
  const role = ROLES.find((role) => role === text);
  if (role !== undefined) return role;
  throw new UsageError(`${source} must be ${alternatives(ROLES)}, but got "${text}"`, {
    hint: `Put a command after --: mlcli local shell -- ${shellWord(text)}`,
  });
}

const OPTIONS = options({
  "[role]": { choices: ROLES, parse: parseRole },
  "[-- command...]": {},
  ...containerOptions,
  ...publishOption,
  "--strict": { description: "Use only files and settings that SageMaker would provide" },
});

export type ShellValues = AppValues<typeof OPTIONS>;

export default appCommand({
  details: "ROLE is train, process or serve (default: train). When you exit the shell, mlcli " +
    "removes the container and all files in the container's /opt/ml/model.",
  options: OPTIONS,
  usesEngine: true,
  examples: [
    ["Explore the container of local train", "mlcli local shell"],
    ["List the files that the server loads", "mlcli local shell serve -- ls -l /opt/ml/model"],
    ["Run a line of Python", "echo 'import sklearn' | mlcli local shell -- python3"],
  ],
  action: async (context, options, call) =>
    await (await import("./shell_action.ts")).shellAction(context, options, call),
});
