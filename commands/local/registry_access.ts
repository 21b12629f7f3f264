/** Access to registries and package indexes from this machine. AWS is called only for images in ECR. */

import type { App } from "../../runtime/app/app.ts";
import { type NamedImage, requireTrusted } from "../../runtime/app/trusted_image.ts";
import type { Aws } from "../../runtime/aws/aws.ts";
import type { Context } from "../../runtime/context.ts";
import { ecrHost, mayLogIn } from "../../runtime/contract/registry.ts";
import type { PullLogin } from "../../runtime/docker/images.ts";
import { dockersLogin } from "../../runtime/docker/pull.ts";
import { MlcliError } from "../../runtime/errors.ts";
import type { PipNetwork } from "../../runtime/local/jobs.ts";
import type { Setting } from "../../runtime/setting.ts";
import { enumerated } from "../../runtime/text.ts";

/** An existing image. */
export interface ChosenImage extends Pick<NamedImage, "command"> {
  readonly app: App;
  /** `undefined`: the app's image is built. */
  readonly image: Setting<string> | undefined;
  /** Whether this is a dry run, which must not remember that the user typed the image. */
  readonly isDry?: boolean | undefined;
}

/** @throws MlcliError if only the configuration file sets the image, and its registry is not trusted. */
export async function requireTrustedHere(
  context: Context,
  { app, image, command, isDry = false }: ChosenImage,
): Promise<"person" | "registry"> {
  return await requireTrusted({ app, image: image!, command }, {
    env: context.env,
    account: async () => (await (await (await awsIn(app, context)).sts()).identity()).account,
    messages: isDry ? undefined : context.messages,
  });
}

/** The login for a registry: of ECR by the caller's credentials, else the engine's own. */
export async function loginFor(
  registry: string,
  app: App,
  context: Context,
): Promise<PullLogin | undefined> {
  if (ecrHost(registry)) return await ecrLogin(registry, app, context);
  return await dockersLogin(registry, context, context.interruption.signal);
}

async function awsIn(app: App, context: Context, region?: Setting<string>): Promise<Aws> {
  const { connectFor } = await import("../../runtime/cloud/connection.ts");
  const where = "PLATFORM_ROLE";
  const role = context.env(where);
  const iamRoleArn = role ? { value: role, from: "variable", where } as const : undefined;
  return await connectFor(app, { region, profile: undefined, iamRoleArn }, context);
}

/** Of the registry's own account and region. It goes nowhere else. */
async function ecrLogin(registry: string, app: App, context: Context): Promise<PullLogin> {
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

/** Returns the network settings of this machine for pip, as in a build. */
export async function pipNetworkOf(app: App, context: Context): Promise<PipNetwork> {
  const { networkSettings } = await import("../../runtime/image/network/settings.ts");
  const found = await networkSettings(app, context);
  for (const { message, hint } of found.warnings) context.messages.warning(message, hint);
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
