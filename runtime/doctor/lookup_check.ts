import type { App } from "../app/app.ts";
import type { Context } from "../context.ts";
import { HOST } from "../contract/jobs.ts";
import type { CreateBody, Engine } from "../docker/engine.ts";
import { initProbePlan } from "../local/container/body.ts";
import { runContainer } from "../local/container/run.ts";
import { type HostNetwork, makeNetwork, removeNetwork } from "../local/hosts/network.ts";
import { NOWHERE } from "../streams.ts";
import { deadlineIn, joinSignals } from "../time.ts";
import type { Check } from "./check.ts";

/** How long the lookup of a name may take, in seconds. */
const TIMEOUT = 10;

/** Of `getent`: the name was not found. */
const NOT_FOUND = 2;

/**
 * Whether containers of the engine find each other by name, as the hosts of a run have to.
 *
 * @param image one that exists; its `getent` looks a name up.
 */
export async function lookupCheck(
  engine: Engine,
  app: App,
  image: string,
  { interruption: { signal } }: Pick<Context, "interruption">,
): Promise<Check> {
  const name = "hosts";
  if (engine.inStudio) {
    const message = "SageMaker Studio has no network for several hosts: --instance-count is 1 here";
    return { name, status: "ok", message };
  }
  const id = `doctor-${crypto.randomUUID().slice(0, 8)}`;
  const network = await makeNetwork(engine, app, id, [HOST], true);
  try {
    using limit = deadlineIn(TIMEOUT);
    using either = joinSignals(signal, limit.signal);
    const body = lookupPlan(image, network);
    const { status, cause } = await runContainer(engine, `mlcli-${id}`, body, {
      out: NOWHERE,
      err: NOWHERE,
      interruption: { signal: either.signal, force: either.signal },
    });
    signal.throwIfAborted();
    if (status === 0) {
      return { name, status: "ok", message: "Containers find each other by name" };
    }
    if (status !== NOT_FOUND && cause === undefined) {
      const message =
        `Whether containers find each other by name is not known: getent of ${image} ` +
        `ended with ${status}`;
      return { name, status: "unknown", message };
    }
    return network.addresses.length > 0 ? FIXED : {
      name,
      status: "warning",
      message: "Containers do not find each other by name: runs on several hosts " +
        "(--instance-count) will fail",
      hint:
        "The engine's DNS does not answer in its containers. A firewall may keep them from it; " +
        "restarting the engine may help.",
    };
  } finally {
    await removeNetwork(engine, network);
  }
}

const FIXED: Check = {
  name: "hosts",
  status: "ok",
  message:
    "This Podman tells containers no names: mlcli gives the hosts of a run fixed addresses, " +
    "and writes their names into /etc/hosts",
};

/** A container that looks up a name that only the network tells: in `/etc/hosts`, it has another. */
function lookupPlan(image: string, { name, endpointOf }: HostNetwork): CreateBody {
  const body = initProbePlan(image);
  return {
    ...body,
    Entrypoint: ["getent"],
    Cmd: ["hosts", HOST],
    NetworkingConfig: { EndpointsConfig: { [name]: endpointOf(HOST) } },
    HostConfig: { ...body.HostConfig, AutoRemove: true, Init: false, NetworkMode: name },
  };
}
