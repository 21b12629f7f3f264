import { initCommand, shellWord } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import type { Role } from "../../runtime/contract/jobs.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { ShellJob } from "../../runtime/local/jobs.ts";
import { alternatives } from "../../runtime/text.ts";
import { type AppCall, appCommand, type AppValues } from "../command.ts";
import { containerOptions, publishOption } from "../options/container.ts";
import { options } from "../options/option.ts";
import { dockerTag } from "../options/shared.ts";

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

type Options = AppValues<typeof OPTIONS>;

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
  action: async (context, options, { read }) => {
    const { shell } = await import("../../runtime/local/shell.ts");
    const { requirePublishable } = await import("./container_request.ts");
    const { runHost } = await import("./image_access.ts");
    const { app, role = "train", command } = options;
    const request = await requestOf(context, { ...options, role }, read);
    requirePublishable(request);
    await shell({ ...request, role, command }, runHost(context, app));
  },
});

/** Returns the request with the program of the configuration file, because a shell has no options for it. */
async function requestOf(
  context: Context,
  options: Options & Pick<ShellJob, "role">,
  read: AppCall["read"],
): Promise<Omit<ShellJob, "role">> {
  const { processProgramOptions, programOptions, serverProgramOptions } = await import(
    "../options/program.ts"
  );
  const { withChosenImage } = await import("../chosen_app.ts");
  const { containerRequest, programRequest } = await import("./container_request.ts");
  const { app, role } = options;
  if (role === "serve") {
    // No object of the file sets the image of a shell for the server.
    const { image } = read({ ...dockerTag, ...serverProgramOptions }, undefined);
    const request = await containerRequest(
      context,
      { ...options, image },
      initCommand(app, app.name),
    );
    const program = { code: undefined, launcher: undefined, command: [], arguments: [] };
    return { ...request, program };
  }
  const declared = role === "train" ? programOptions : processProgramOptions;
  const program = read({ ...dockerTag, ...declared }, role);
  const request = { ...options, ...program, app: withChosenImage(app, program) };
  return await programRequest(context, request, `mlcli local ${role}`);
}
