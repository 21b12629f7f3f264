/** The ports that programs in a container listen on, from the kernel's own list. */

import type { Engine } from "../docker/engine.ts";
import { demultiplex } from "../docker/frames.ts";
import { deadlineIn, joinSignals } from "../time.ts";

/** A TCP socket that waits for connections. */
export interface ListeningSocket {
  /** `127.0.0.1`, `0.0.0.0`, `::` */
  readonly address: string;
  readonly port: number;
}

/** Docker's own resolver listens there, in containers on a network with names. */
const DOCKERS_RESOLVER = "127.0.0.11";

/** Linux gives ports from there on to programs that ask for any (`ip_local_port_range`). */
const FIRST_EPHEMERAL = 32_768;

/** A line of both files; 0A is the state LISTEN (Linux, include/net/tcp_states.h). */
const LISTENING = /^ *\d+: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) [0-9A-F]{8,32}:0000 0A /gm;

/**
 * Returns the listening sockets of `/proc/net/tcp` and `/proc/net/tcp6`; `undefined` if the text is neither
 * of these files. A port on the loopback address in the range of the system is for the program itself.
 */
export function listeningSockets(text: string): readonly ListeningSocket[] | undefined {
  if (!text.includes("local_address")) return undefined;
  return Array.from(text.matchAll(LISTENING), ([, address, port]) => ({
    address: addressOf(address!),
    port: parseInt(port!, 16),
  })).filter(({ address, port }) =>
    address !== DOCKERS_RESOLVER && (port < FIRST_EPHEMERAL || !isLoopbackAddress(address))
  );
}

export function isLoopbackAddress(address: string): boolean {
  return /^(?:127\.|::1$)/.test(address);
}

/** Each word of 32 bits is in the byte order of the machine: little-endian is assumed. */
function addressOf(hexadecimal: string): string {
  const bytes = hexadecimal.replace(/(..)(..)(..)(..)/g, "$4$3$2$1");
  if (bytes.length === 8 || /^0{20}FFFF/.test(bytes)) {
    return bytes.slice(-8).match(/../g)!.map((byte) => parseInt(byte, 16)).join(".");
  }
  const groups = bytes.match(/..../g)!.map((group) => parseInt(group, 16).toString(16));
  return groups.join(":").replace(/^(0:)+(0$)?/, "::");
}

/** How long the engine may take, in seconds: the list only explains why a server is not ready. */
const SECONDS = 5;

/** In characters; a container with thousands of connections has a longer list. */
const LONGEST = 256 * 1024;

/**
 * Lists the listening sockets of a running container; returns `undefined` if its image has no `cat`, the
 * engine does not run it, or other programs listen in the same network: in SageMaker Studio.
 *
 * @throws the signal's reason.
 */
export async function socketsIn(
  engine: Pick<Engine, "execute" | "inStudio">,
  id: string,
  signal: AbortSignal,
): Promise<readonly ListeningSocket[] | undefined> {
  if (engine.inStudio) return undefined;
  using deadline = deadlineIn(SECONDS);
  using either = joinSignals(signal, deadline.signal);
  const command = ["cat", "/proc/net/tcp", "/proc/net/tcp6"];
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const { bytes } of demultiplex(await engine.execute(id, command, either.signal))) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > LONGEST) break;
    }
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
  return listeningSockets(text);
}
