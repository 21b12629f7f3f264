/**
 * What the commands that start a container have in common, from their options to what is asked for.
 */

import type { App } from "../../runtime/app/app.ts";
import { sectionOf } from "../../runtime/app/sections.ts";
import type { Context } from "../../runtime/context.ts";
import { MlcliError, UsageError } from "../../runtime/errors.ts";
import type { LocalJob } from "../../runtime/local/jobs.ts";
import { ownVariables } from "../named_files.ts";
import { chosenApp } from "../chosen_app.ts";
import type { ConfigurableCall } from "../command.ts";
import type { containerOptions } from "../options/container.ts";
import type { Options, Values } from "../options/option.ts";

type ContainerOptions =
  & Pick<
    Values<typeof containerOptions>,
    | ("appName" | "dockerTag" | "env" | "envFile" | "memory" | "cpus" | "shmSize" | "gpus")
    | ("network" | "allowPrivileges" | "strict")
  >
  & { readonly networkIsolation?: boolean };

/**
 * The part of what is asked for that all containers have in common. The object `local` of the app's
 * configuration file counts where the command line says nothing.
 *
 * @throws UsageError when two options contradict each other; MlcliError for what the file may not
 * say.
 */
export async function containerRequest<O extends Options>(
  context: Context,
  typed: ContainerOptions,
  call: Pick<ConfigurableCall<O>, "configured">,
): Promise<LocalJob> {
  if (typed.networkIsolation && typed.network !== undefined && typed.network !== "none") {
    throw new UsageError(
      `Options "--network-isolation" and "--network ${typed.network}" do not go together.`,
      { hint: "--network-isolation is to be without a network, as --network none is." },
    );
  }
  // Looked for while the app is read. A failure shows where the engine is needed.
  context.engine().catch(() => {});
  const app = await chosenApp(context, typed.appName);
  const isTyped = typed.networkIsolation || typed.network !== undefined;
  const { memory, cpus, shmSize, gpus, network } = await configured(app, call, isTyped);
  return {
    app,
    tag: typed.dockerTag,
    memory: typed.memory ?? memory,
    cpus: typed.cpus ?? cpus,
    shmSize: typed.shmSize ?? shmSize,
    gpus: typed.gpus ?? gpus,
    network: typed.networkIsolation ? "none" : typed.network ?? network,
    allowPrivileges: typed.allowPrivileges,
    strict: typed.strict,
    variables: await ownVariables(typed, context),
  };
}

/** The networks that a file may name: any other leads to what listens there for its owner. */
const FILE_NETWORKS: readonly (string | undefined)[] = [undefined, "bridge", "none"];

async function configured<O extends Options>(
  app: App,
  call: Pick<ConfigurableCall<O>, "configured">,
  isTyped: boolean,
): Promise<Partial<ContainerOptions>> {
  const section = sectionOf(app, "local");
  const { settings } = await call.configured(section);
  // The options of each of these commands are among them: `O` cannot say it.
  const own = settings as Partial<ContainerOptions>;
  if (isTyped || FILE_NETWORKS.includes(own.network)) return own;
  throw new MlcliError(`${section.where("network")} may be bridge or none, not "${own.network}"`, {
    hint: `It lets code reach what listens there: type --network ${own.network} if you mean it.`,
  });
}

/**
 * Requires a network on which a server can be reached.
 *
 * @throws UsageError for one on which the engine publishes no port on this machine alone.
 */
export function requireReachable({ network }: Pick<LocalJob, "network">): void {
  if (network !== "host" && network !== "none") return;
  throw new UsageError(
    network === "none"
      ? "Nothing could reach a server without a network (none)."
      : "With --network host, the whole network could reach the server.",
    {
      hint: network === "none"
        ? "Leave --network out, or give --network bridge if it is in the configuration file."
        : "Its port is published on 127.0.0.1 alone: leave --network out. For another " +
          "container, such as a database, name the network that it is on.",
    },
  );
}
