/**
 * Access that local commands need for an existing image, and the network of pip in a container. Most runs
 * need neither AWS nor a registry nor a package index, so the modules for them are loaded late.
 */

import type { App } from "../../runtime/app/app.ts";
import type { NamedImage } from "../../runtime/app/trusted_image.ts";
import type { Aws } from "../../runtime/aws/aws.ts";
import type { Context } from "../../runtime/context.ts";
import type { PullLogin } from "../../runtime/docker/images.ts";
import { MlcliError } from "../../runtime/errors.ts";
import type { Host, ImageAccess, PipNetwork } from "../../runtime/local/jobs.ts";
import type { Setting } from "../../runtime/setting.ts";
import { enumerated } from "../../runtime/text.ts";
import { WaitingProgress } from "../render/progress/waiting.ts";

/** Returns the context for a run, in whose container pip can install packages. */
export function runHost(context: Context, app: App): Context & Required<Host> {
  const { messages, clock } = context;
  return {
    ...context,
    // The end of a run matters even if the reader of standard error has exited.
    waiting: new WaitingProgress({ messages: messages.ignoringFailures(), clock }, true),
    pipNetwork: () => pipNetworkOf(app, context),
  };
}

/** @param isDry whether a dry run must not remember that the image was typed. */
export function imageAccess(
  context: Context,
  { app, image, command, isDry = false }: Pick<NamedImage, "command"> & {
    readonly app: App;
    /** `undefined`: the app's image is built. */
    readonly image: Setting<string> | undefined;
    readonly isDry?: boolean | undefined;
  },
): ImageAccess {
  return {
    requireTrusted: async () => {
      const { requireTrusted } = await import("../../runtime/app/trusted_image.ts");
      return await requireTrusted({ app, image: image!, command }, {
        env: context.env,
        account: async () => (await (await (await awsIn(app, context)).sts()).identity()).account,
        messages: isDry ? undefined : context.messages,
      });
    },
    login: async (registry) => {
      const { ecrHost } = await import("../../runtime/contract/registry.ts");
      if (ecrHost(registry)) return await ecrLogin(registry, app, context);
      const { dockersLogin } = await import("../../runtime/docker/pull.ts");
      return await dockersLogin(registry, context, context.interruption.signal);
    },
  };
}

async function awsIn(app: App, context: Context, region?: Setting<string>): Promise<Aws> {
  const { connectFor } = await import("../../runtime/cloud/connection.ts");
  const where = "PLATFORM_ROLE";
  const role = context.env(where);
  const iamRoleArn = role ? { value: role, from: "variable", where } as const : undefined;
  return await connectFor(app, { region, profile: undefined, iamRoleArn }, context);
}

/** Returns the login of a registry of Amazon ECR, which is sent only to that registry. */
async function ecrLogin(registry: string, app: App, context: Context): Promise<PullLogin> {
  const { ecrHost, mayLogIn } = await import("../../runtime/contract/registry.ts");
  const { account, region } = ecrHost(registry)!;
  const own: Setting<string> = { value: region, from: "typed", where: "--region" };
  const authorization = async () =>
    await (await (await awsIn(app, context, own)).ecr()).authorization(account);
  const { username, password, host } = await authorization().catch((error) => {
    if (!(error instanceof MlcliError)) throw error;
    throw new MlcliError(error.message, {
      quote: error.quote,
      cause: error,
      hint:
        `To pull from Amazon ECR in ${region}, check your AWS credentials and network, or use an ` +
        "image that is already on this machine",
    });
  });
  if (mayLogIn(host, registry)) return { username, password, serveraddress: registry };
  throw new MlcliError(`ECR returned a login for ${host} instead of ${registry}`, {
    hint: "Check AWS_ENDPOINT_URL and the proxy: the response might not come from AWS",
  });
}

/** Returns the network settings of this machine for pip in a container, like those for a build. */
async function pipNetworkOf(app: App, context: Context): Promise<PipNetwork> {
  const { networkSettings } = await import("../../runtime/image/network/settings.ts");
  const found = await networkSettings(app, context);
  context.messages.tell(found.warnings);
  if (found.secret.length > 0) {
    const text = `The container receives the credentials in ${enumerated(found.secret)} for pip ` +
      "(to withhold them: --no-network-settings)";
    context.messages.note(text);
  }
  const files = { "certificates.pem": found.certificates, netrc: found.netrc };
  return {
    variables: found.variables,
    files: Object.fromEntries(Object.entries(files).filter(([, text]) => text !== "")),
  };
}
