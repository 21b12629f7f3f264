import type { App } from "../app/app.ts";
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

/**
 * Whether containers of the engine find each other by name, as the hosts of a run have to.
 *
 * @param image one that exists; its `getent` looks a name up.
 */
export async function lookupCheck(
  engine: Engine,
  app: App,
  image: string,
  signal: AbortSignal,
): Promise<Check> {
  if (engine.inStudio) {
    return found("ok", "Studio gives containers no network of their own: a run has one host");
  }
  const id = `doctor-${crypto.randomUUID().slice(0, 8)}`;
  const network = await makeNetwork(engine, app, id, [HOST], true);
  try {
    using limit = deadlineIn(TIMEOUT);
    using either = joinSignals(signal, limit.signal);
    const { status, cause } = await runContainer(
      engine,
      `mlcli-${id}`,
      lookupPlan(image, network),
      { out: NOWHERE, err: NOWHERE, interruption: { signal: either.signal, force: either.signal } },
    );
    signal.throwIfAborted();
    if (status === 0) return found("ok", "Containers find each other by name");
    // What getent ends with where it found nothing.
    if (status !== 2 && cause === undefined) {
      return found("unknown", `getent of ${image} could not look up a name: exit status ${status}`);
    }
    return network.addresses.length > 0
      ? found(
        "ok",
        "Containers do not find each other by name, so hosts of a run get fixed addresses",
      )
      : found(
        "warning",
        "Containers do not find each other by name: a run on several hosts will fail",
        "The engine's DNS does not answer its containers. Look for a firewall between them, and " +
          "restart the engine.",
      );
  } finally {
    await removeNetwork(engine, network);
  }
}

function found(status: Check["status"], message: string, hint?: string): Check {
  return { name: "hosts", status, message, ...hint === undefined ? {} : { hint } };
}

/** Looks up a name that only the network tells: in `/etc/hosts`, the container has another. */
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
