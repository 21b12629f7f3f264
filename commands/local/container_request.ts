/** Makes the request that all commands have in common which start a container of the user's code. */

import type { App } from "../../runtime/app/app.ts";
import type { Context } from "../../runtime/context.ts";
import type { Variables } from "../../runtime/contract/variables.ts";
import { dockerProxies, isException, proxiesBeside } from "../../runtime/docker/proxies.ts";
import { UsageError } from "../../runtime/errors.ts";
import { hostsOf, isLoopback, REACHABLE_PROXY } from "../../runtime/image/network/addresses.ts";
import type { LocalJob } from "../../runtime/local/jobs.ts";
import type { PublishedPort } from "../../runtime/serving/plan.ts";
import type { ProgramRequest } from "../../runtime/source/program.ts";
import { userVariables } from "../named_files.ts";
import type { containerOptions } from "../options/container.ts";
import type { Values } from "../options/option.ts";
import { type ProgramChoice, programOf } from "../program.ts";
import { imageAccess } from "./image_access.ts";

type ContainerChoice = Values<typeof containerOptions> & Pick<ProgramChoice, "image"> & {
  readonly app: App;
  readonly networkIsolation?: boolean;
  readonly networkSettings?: boolean;
  readonly dryRun?: boolean;
};

/**
 * Returns the settings of the command with what follows from them.
 *
 * @param command command that sets an image with `--image`, for hints.
 */
export async function containerRequest<Choice extends ContainerChoice>(
  context: Context,
  choice: Choice,
  command: string,
): Promise<Choice & LocalJob> {
  const { app, image, strict, dryRun: isDry } = choice;
  const network = choice.networkIsolation ? "none" : choice.network;
  const variables = await userVariables(choice, context);
  const { awsCredentials: profile } = choice;
  return {
    ...choice,
    images: imageAccess(context, { app, image, command, isDry }),
    network,
    variables,
    lender: profile === undefined ? undefined : await (await import("./aws_credentials.ts"))
      .credentialsLender(profile, app, variables, context),
    proxies: strict || network === "none" || choice.networkSettings === false
      ? undefined
      : await proxiesOf(context, network, variables),
  };
}

/**
 * Returns the settings of a command with its program, and what follows from them.
 *
 * @param args words after `--`.
 */
export async function programRequest<Choice extends ContainerChoice & ProgramChoice>(
  context: Context,
  choice: Choice,
  command: string,
  args?: readonly string[],
): Promise<Choice & LocalJob & { readonly program: ProgramRequest }> {
  const program = await programOf(choice.app, choice, args);
  return { ...await containerRequest(context, choice, command), program };
}

/**
 * Requires that ports can be published.
 *
 * @throws UsageError if the network rules them out, or two have one port of this machine.
 */
export function requirePublishable(
  { publish, network }: Pick<LocalJob, "network"> & { readonly publish: readonly PublishedPort[] },
): void {
  if (publish.length > 0 && network === "none") {
    throw new UsageError('Option "--publish" requires a network, but the container has none', {
      hint: "Remove --network-isolation and --network none. If network is none in NAME.json, " +
        "use --network bridge.",
    });
  }
  if (publish.length > 0 && network === "host") {
    throw new UsageError('Option "--publish" has no effect with "--network host"', {
      hint: "Remove one of them: with --network host, every port of the container is a port of " +
        "this machine",
    });
  }
  const [twice] = publish.filter(({ host }, index) =>
    publish.findIndex((port) => port.host === host) < index
  );
  if (twice === undefined) return;
  throw new UsageError(`Option "--publish" uses port ${twice.host} of this machine more than once`);
}

/** The proxies of docker's configuration file, with a warning for each that cannot work. */
async function proxiesOf(
  { env, engine, messages }: Context,
  network: string | undefined,
  variables: Variables,
): Promise<Variables> {
  const ofAll = dockerProxies(env);
  const { source, variables: found, isMisplaced } = ofAll.dependOnEngine
    // The command that needs the engine reports why it cannot be reached.
    ? dockerProxies(env, await engine().then(({ address }) => address, () => undefined))
    : ofAll;
  if (isMisplaced) {
    const hint = 'Move them into "default": {"proxies": {"default": {...}}}';
    messages.warning(`Ignored the proxy addresses outside "default" in ${source}`, hint);
  }
  const proxies = proxiesBeside(found, variables);
  const local = Object.entries(proxies).filter(([name]) => !isException(name))
    .flatMap(([, value]) => hostsOf(value)).find(isLoopback);
  if (local !== undefined && network !== "host") {
    const text = `${source} sets a proxy on this machine (${local}), which containers cannot reach`;
    messages.warning(text, REACHABLE_PROXY);
  }
  return proxies;
}

/** @throws UsageError for a network on which a server cannot be reached from this machine alone. */
export function requireReachable({ network }: Pick<LocalJob, "network">): void {
  if (network !== "host" && network !== "none") return;
  throw new UsageError(
    network === "none"
      ? "The server requires a network, but the container has none"
      : 'The server cannot use "--network host": other machines could reach it',
    {
      hint: network === "none"
        ? "Remove --network none. If network is none in NAME.json, use --network bridge."
        : "Remove --network host. To reach another container, such as a database, join its " +
          "network: --network NAME.",
    },
  );
}
