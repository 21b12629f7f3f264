import type { App } from "../app/app.ts";
import { HOST } from "../contract/jobs.ts";
import type { CreateBody, Engine } from "../docker/engine.ts";
import { initProbePlan } from "../local/container/body.ts";
import { runContainer } from "../local/container/run.ts";
import {
  endpointOn,
  type HostNetwork,
  makeNetwork,
  removeNetwork,
} from "../local/hosts/network.ts";
import { type Messages, warning } from "../messages.ts";
import { NOWHERE } from "../streams.ts";
import { deadlineIn, joinSignals } from "../time.ts";
import { type Check, ok } from "./check.ts";

/** Time limit of a lookup by name, in seconds. */
const TIMEOUT = 10;

/**
 * Checks whether containers find each other by name, as the hosts of a run must. `getent` in the image looks
 * up a name.
 *
 * @param host its `messages` warn if the container might be left.
 */
export async function lookupCheck(
  engine: Engine,
  app: App,
  image: string,
  { messages, signal }: { readonly messages: Messages; readonly signal: AbortSignal },
): Promise<Check> {
  if (engine.inStudio) {
    return ok("Studio has no network for containers, so runs are limited to one host");
  }
  const id = `doctor-${crypto.randomUUID().slice(0, 8)}`;
  const network = await makeNetwork(engine, app, id, [HOST], true);
  try {
    using limit = deadlineIn(TIMEOUT);
    using either = joinSignals(signal, limit.signal);
    const { status } = await runContainer(engine, `mlcli-${id}`, planOf(image, network), {
      out: NOWHERE,
      err: NOWHERE,
      messages,
      interruption: { signal: either.signal, force: either.signal },
    });
    signal.throwIfAborted();
    if (status === 0) return ok("Containers find each other by name");
    const message = "Containers cannot find each other by name";
    return HOST in network.addresses
      ? ok(`${message}, so hosts of a run get fixed addresses`)
      : warning(`${message}, so runs on several hosts fail`, HINT);
  } finally {
    await removeNetwork(engine, network);
  }
}

const HINT = "Check whether a firewall blocks the engine's DNS, then restart the engine";

/** Looks up a name that only the network tells: in `/etc/hosts`, the container has another. */
function planOf(image: string, network: HostNetwork): CreateBody {
  const { HostConfig, ...body } = initProbePlan(image);
  return {
    ...body,
    Entrypoint: ["getent"],
    Cmd: ["hosts", HOST],
    NetworkingConfig: { EndpointsConfig: { [network.name]: endpointOn(network, HOST) } },
    HostConfig: { ...HostConfig, AutoRemove: true, Init: false, NetworkMode: network.name },
  };
}
