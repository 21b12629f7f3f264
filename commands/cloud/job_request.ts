/** Makes the part of a request that all commands have in common that start something on SageMaker. */

import { requireTrusted } from "../../runtime/app/trusted_image.ts";
import { connectFor } from "../../runtime/cloud/connection.ts";
import type { CloudRequest } from "../../runtime/cloud/start/plan.ts";
import type { Context } from "../../runtime/context.ts";
import type { Setting } from "../../runtime/setting.ts";
import type { AppValues } from "../command.ts";
import { userVariables } from "../named_files.ts";
import type { environmentOptions, startOptions } from "../options/cloud_job.ts";

type Choice =
  & AppValues<typeof environmentOptions & typeof startOptions>
  & { readonly image: Setting<string> | undefined };

type Requested<Options> = Options & Pick<CloudRequest, "variables" | "tags">;

/**
 * Returns the settings of a command with its variables and tags.
 *
 * @param command command that sets an image with `--image`, for hints.
 * @throws MlcliError if the image is not trusted.
 */
export async function cloudRequest<Options extends Choice>(
  context: Context,
  options: Options,
  command: string,
): Promise<Requested<Options>> {
  const { app, image, dryRun } = options;
  if (image !== undefined && app.configuration.image !== undefined) {
    await requireTrusted({ app, image, command }, {
      env: context.env,
      account: async () => {
        const aws = await connectFor(app, options, context);
        return (await (await aws.sts()).identity()).account;
      },
      messages: dryRun ? undefined : context.messages,
    });
  }
  return {
    ...options,
    variables: await userVariables(options, context),
    tags: Object.fromEntries(options.tag.map(({ key, value }) => [key, value])),
  };
}

/** Returns the settings of a job, which can use the role that mlcli assumes. */
export async function jobRequest<
  Options extends Choice & { readonly executionRole: string | undefined },
>(context: Context, options: Options, command: string): Promise<Requested<Options>> {
  const executionRole = options.executionRole ?? options.iamRoleArn?.value;
  return await cloudRequest(context, { ...options, executionRole }, command);
}
