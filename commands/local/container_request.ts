/** Makes the request that all commands have in common which start a container of the user's code. */

import { basename } from "@std/path/basename";
import { type App, APP_NAME } from "../../runtime/app/app.ts";
import { sectionOf } from "../../runtime/app/sections.ts";
import { initCommand, shellWord } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import type { Variables } from "../../runtime/contract/variables.ts";
import { dockerProxies, isException, proxiesBeside } from "../../runtime/docker/proxies.ts";
import { MlcliError, NoAppHere, UsageError } from "../../runtime/errors.ts";
import { hostsOf, isLoopback, REACHABLE_PROXY } from "../../runtime/image/network/addresses.ts";
import type { LocalJob } from "../../runtime/local/jobs.ts";
import { tell, warningText } from "../../runtime/messages.ts";
import type { PublishedPort } from "../../runtime/serving/plan.ts";
import { userVariables } from "../named_files.ts";
import { chosenApp } from "../chosen_app.ts";
import { imageAccess } from "./image_access.ts";
import type { ConfigurableCall } from "../command.ts";
import type { containerOptions } from "../options/container.ts";
import {
  type AppProgram,
  programOf,
  type ProgramSectionName,
  type TypedProgram,
} from "../program.ts";
import { requireCompatible, requireNoTag } from "../usage.ts";
import type { Options, Values } from "../options/option.ts";

type ContainerOptions = Values<typeof containerOptions> & {
  readonly networkIsolation?: boolean;
  readonly networkSettings?: boolean;
  readonly dryRun?: boolean;
};

interface PublishOptions {
  readonly publish: readonly PublishedPort[];
  readonly strict: boolean;
  readonly instanceCount?: number;
}

/**
 * Where the command line says nothing, the object `local` of the app's configuration file counts.
 *
 * @throws UsageError when two options contradict each other; MlcliError for a network that the file
 * may not name.
 */
export async function containerRequest<O extends Options>(
  context: Context,
  typed: ContainerOptions,
  call: Pick<ConfigurableCall<O>, "configured">,
): Promise<LocalJob> {
  if (typed.networkIsolation && typed.network !== undefined && typed.network !== "none") {
    throw new UsageError(
      `Options "--network-isolation" and "--network ${typed.network}" cannot be used together`,
      { hint: "Remove one of them: --network-isolation means --network none" },
    );
  }
  if (typed.awsCredentials !== undefined && typed.strict) {
    throw new UsageError('Options "--aws-credentials" and "--strict" cannot be used together', {
      hint: "Remove one of them: on SageMaker, code has the credentials of the execution role",
    });
  }
  // Connects while the app is read. A failure is reported where the engine is needed.
  context.engine().catch(() => {});
  const app = await chosenApp(context, typed);
  requireNoTag(app, typed, context.env);
  const isTyped = typed.networkIsolation || typed.network !== undefined;
  const { memory, cpus, shmSize, gpus, network: own } = await configured(app, call, isTyped);
  const network = typed.networkIsolation ? "none" : typed.network ?? own;
  const variables = await userVariables(typed, context);
  const { awsCredentials: profile } = typed;
  return {
    app,
    images: imageAccess(context, { app, isImageTyped: false, command: initCommand(app, app.name) }),
    tag: typed.dockerTag,
    memory: typed.memory ?? memory,
    cpus: typed.cpus ?? cpus,
    shmSize: typed.shmSize ?? shmSize,
    gpus: typed.gpus ?? gpus,
    network,
    allowPrivileges: typed.allowPrivileges,
    strict: typed.strict,
    variables,
    lender: profile === undefined ? undefined : await (await import("./aws_credentials.ts"))
      .credentialsLender(profile, app, variables, context),
    proxies: typed.strict || network === "none" || typed.networkSettings === false
      ? undefined
      : await proxiesOf(context, network, variables),
  };
}

/**
 * The same, with the image and the code that are typed, or that the object of the file names.
 *
 * @param args what follows `--`.
 * @throws as `containerRequest` and `programOf`; without an app, with the line that makes one.
 */
export async function programRequest<O extends Options>(
  context: Context,
  kind: ProgramSectionName,
  typed: ContainerOptions & TypedProgram,
  args: readonly string[],
  call: Pick<ConfigurableCall<O>, "configured">,
): Promise<LocalJob & Pick<AppProgram, "program">> {
  const request = await containerRequest(context, typed, call)
    .catch((error) => initInstead(error, context, kind, typed));
  const { app, isImageTyped, program } = await programOf(request.app, kind, typed, args, context);
  const command = `mlcli local ${kind}`;
  const images = imageAccess(context, { app, isImageTyped, command, isDry: typed.dryRun });
  return { ...request, app, images, program };
}

/** Without an app, the line that makes one of what was typed. */
function initInstead(
  error: unknown,
  { cwd }: Context,
  kind: ProgramSectionName,
  { image, sourceDir = ".", entryPoint, launcher }: TypedProgram,
): never {
  const isNowhere = error instanceof NoAppHere && error.above === undefined;
  if (!isNowhere || image === undefined) throw error;
  const name = basename(cwd);
  const words = [
    ...["mlcli", "init", APP_NAME.test(name) ? name : "app", "--image", image],
    // It is told what trains alone.
    ...entryPoint === undefined || kind !== "train"
      ? []
      : ["--source-dir", sourceDir, "--entry-point", entryPoint],
    ...launcher === undefined ? [] : ["--launcher", launcher],
  ];
  const hint = `Create an app: ${words.map(shellWord).join(" ")}`;
  throw new MlcliError(error.message, { hint, cause: error });
}

/**
 * Returns the ports to publish.
 *
 * @param path the names that lead to the command: `mlcli local train`.
 * @throws UsageError if another option, or the network of the configuration file, rules them out.
 */
export function publishedPorts(
  path: string,
  { publish, strict, instanceCount = 1 }: PublishOptions,
  { network }: Pick<LocalJob, "network">,
): readonly PublishedPort[] {
  requireCompatible(path, [["--publish", "--strict"], ["--publish", "--instance-count"]], {
    "--publish": publish.length > 0,
    "--strict": strict,
    "--instance-count": instanceCount > 1,
  });
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
  if (twice === undefined) return publish;
  throw new UsageError(`Option "--publish" uses port ${twice.host} of this machine more than once`);
}

/** The proxies of docker's configuration file, with a warning for each that cannot work. */
async function proxiesOf(
  { env, engine, err }: Context,
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
    tell(err, warningText(`Ignored the proxy addresses outside "default" in ${source}`, hint));
  }
  const proxies = proxiesBeside(found, variables);
  const local = Object.entries(proxies).filter(([name]) => !isException(name))
    .flatMap(([, value]) => hostsOf(value)).find(isLoopback);
  if (local !== undefined && network !== "host") {
    const text = `${source} sets a proxy on this machine (${local}), which containers cannot reach`;
    tell(err, warningText(text, REACHABLE_PROXY));
  }
  return proxies;
}

/** The networks that a file may name: on others, the user's own services listen. */
const FILE_NETWORKS: readonly (string | undefined)[] = [undefined, "bridge", "none"];

async function configured<O extends Options>(
  app: App,
  call: Pick<ConfigurableCall<O>, "configured">,
  isTyped: boolean,
): Promise<Partial<ContainerOptions>> {
  const section = sectionOf(app, "local");
  const { settings } = await call.configured(section);
  // `O` cannot tell that these commands have all of these options.
  const own = settings as Partial<ContainerOptions>;
  if (isTyped || FILE_NETWORKS.includes(own.network)) return own;
  throw new MlcliError(`${section.where("network")} must be bridge or none, not "${own.network}"`, {
    hint: `To allow this network, set it on the command line: --network ${own.network}`,
  });
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
