/**
 * The log of an endpoint: of all instances of all its variants.
 *
 * @module
 */

import type { Aws } from "../../aws/aws.ts";
import { AwsError } from "../../aws/errors.ts";
import type { Logs } from "../../aws/logs.ts";
import { endpointLogGroup, withoutRepeats } from "../../contract/log_lines.ts";
import { inOneLine } from "../../text.ts";
import { LAST_LINES } from "../jobs/follow.ts";
import { LogReader } from "../log_reader.ts";

/** Whose log, and how much of it. */
export interface EndpointLogOf {
  readonly name: string;
  /** Leaves out what was written before. */
  readonly since?: Date | undefined;
  /** Leaves out instances that began to write before. */
  readonly began?: Date | undefined;
}

/** An endpoint's log, read piece by piece. */
export class EndpointLog extends LogReader {
  constructor(logs: Logs, { name, since, began }: EndpointLogOf) {
    super(logs, {
      group: endpointLogGroup(name),
      since,
      isWanted: ({ creationTime }) =>
        began === undefined || creationTime === undefined || creationTime >= began.getTime(),
      prefixOf: (stream, streams) => streams > 1 ? `${inOneLine(stream)}: ` : "",
    });
  }
}

/** The end of an endpoint's log. */
export interface LogEnd {
  /** Oldest first, fit for a terminal; where several instances write, each with whose it is. */
  readonly lines: readonly string[];
  /** Why it could not be read; it is no must. */
  readonly denial: string | undefined;
}

/** How much of a line is shown, in characters: an event of CloudWatch may have 1 MB. */
const LONGEST_LINE = 2_000;

function shortened(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}...`;
}

/**
 * The last lines that an endpoint's instances wrote; what they wrote over and over, once.
 *
 * @param began only of instances that began to write since then.
 * @param count lines at most.
 * @throws Interrupted
 */
export async function endOfEndpointLog(
  name: string,
  aws: Pick<Aws, "logs">,
  { began, count = LAST_LINES }: { readonly began?: Date | undefined; readonly count?: number } =
    {},
): Promise<LogEnd> {
  try {
    const log = new EndpointLog(await aws.logs(), { name, began });
    const lines = withoutRepeats((await log.tail(count)).map(shortened));
    return { lines, denial: undefined };
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return { lines: [], denial: error.message };
  }
}
