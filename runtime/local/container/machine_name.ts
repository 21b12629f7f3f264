/**
 * The name of this machine in containers: `host.docker.internal`. Docker Desktop and Podman know it by
 * themselves. Docker on Linux knows it only if a container asks for it.
 */

import type { CreateBody } from "../../docker/engine.ts";
import type { LocalJob } from "../jobs.ts";

const NAME = "host.docker.internal";

/** `host-gateway` is Docker's word for the address at which containers reach the machine. */
const ENTRY = `${NAME}:host-gateway`;

/** Networks in which a container has no address of its own: none, and the machine's. */
export const WITHOUT_ADDRESS: readonly (string | undefined)[] = ["none", "host"];

/** What decides whether a container gets the name. */
type Asked = Pick<LocalJob, "network" | "strict">;

/** The entries for the hosts file of a container with the user's code. SageMaker has no such name. */
export function machineEntries({ network, strict }: Asked): readonly string[] {
  return strict || WITHOUT_ADDRESS.includes(network) ? [] : [ENTRY];
}

/** The entry for this machine, if the container has it. */
export function machineEntriesOf({ HostConfig }: CreateBody): readonly string[] {
  return (HostConfig.ExtraHosts ?? []).filter((entry) => entry === ENTRY);
}

export function withoutMachineName(body: CreateBody): CreateBody {
  if (machineEntriesOf(body).length === 0) return body;
  const ExtraHosts = body.HostConfig.ExtraHosts?.filter((entry) => entry !== ENTRY);
  return { ...body, HostConfig: { ...body.HostConfig, ExtraHosts } };
}

/**
 * What Docker says about the entry. Before 20.10, when it creates the container: `invalid IP address in
 * add-host: "host-gateway"`. Without a default bridge, when it starts the container: `unable to derive
 * the IP value for host-gateway`. On the network of another container: `conflicting options: custom
 * host-to-IP mapping and the network mode`.
 */
export const REFUSES_MACHINE_NAME = /host-gateway|custom host-to-IP mapping/;

/** Errors of libraries that cannot resolve a name: C (glibc, musl), Go, Node, curl, PostgreSQL, urllib3. */
const UNRESOLVED =
  /Name or service not known|Name does not resolve|Temporary failure in name resolution|No address associated with hostname|no such host\b|ENOTFOUND|Could not resolve host|could not translate host name|Failed to resolve/i;

/**
 * Returns what to do if the code failed because the name of this machine did not resolve; `undefined`
 * for other failures. Python's own error does not contain the name; the traceback above it mostly does.
 * mlcli ignores other lines, which might be about other addresses.
 *
 * @param words the line with which the code failed.
 * @param output the last lines of its output.
 */
export function machineNameHint(
  words: string,
  output: string,
  { network, strict }: Asked,
): string | undefined {
  const start = output.lastIndexOf("Traceback (most recent call last):");
  const traceback = output.slice(start, output.lastIndexOf(words));
  if (!(words + traceback).includes(NAME) || !UNRESOLVED.test(words)) return undefined;
  if (strict) {
    return `Use an address that SageMaker can reach: ${NAME} exists neither on SageMaker nor with ` +
      "--strict";
  }
  if (network === "none") {
    return `Use another network: a container with --network none cannot reach ${NAME}`;
  }
  if (network === "host") return "Use 127.0.0.1: with --network host, this address is your machine";
  return `Use an IP address of this machine: the engine cannot resolve ${NAME} (Docker 20.10 and later can)`;
}
