import type { Aws } from "../../aws/aws.ts";
import { AwsError, orNothing } from "../../aws/errors.ts";
import type { Logs } from "../../aws/logs.ts";
import type { EndpointDescription, SageMaker } from "../../aws/sagemaker.ts";
import { endpointLogGroup, withoutRepeats } from "../../contract/log_lines.ts";
import { inOneLine, printable } from "../../text.ts";
import type { CloudHost } from "../connection.ts";
import { LAST_LINES } from "../jobs/follow.ts";
import { LogReader } from "../log_reader.ts";
import { Waiter } from "../waiter.ts";

/** The log of all instances of an endpoint, read piece by piece. */
export class EndpointLog extends LogReader {
  /**
   * @param since leaves out earlier lines.
   * @param began leaves out instances that began to write earlier.
   */
  constructor(
    logs: Logs,
    { name, since, began }: {
      readonly name: string;
      readonly since?: Date | undefined;
      readonly began?: Date | undefined;
    },
  ) {
    super(logs, {
      group: endpointLogGroup(name),
      since,
      isWanted: ({ creationTime }) =>
        began === undefined || creationTime === undefined || creationTime >= began.getTime(),
      prefixOf: (stream, streams) => streams > 1 ? `${inOneLine(stream)}: ` : "",
    });
  }
}

/** How much of a line is shown, in characters: an event of CloudWatch may have 1 MB. */
const LONGEST_LINE = 2_000;

export interface LogEnd {
  /** Oldest first, safe for a terminal; with the instance's name where there are several. */
  readonly lines: readonly string[];
  readonly denial: string | undefined;
}

/**
 * The last lines that an endpoint's instances wrote, repeated ones once.
 *
 * @param began leaves out instances that began to write before.
 * @throws Interrupted
 */
export async function endOfEndpointLog(
  name: string,
  aws: Pick<Aws, "logs">,
  began: Date | undefined,
): Promise<LogEnd> {
  try {
    const lines = await new EndpointLog(await aws.logs(), { name, began }).tail(LAST_LINES);
    return { lines: withoutRepeats(lines.map(shortened)), denial: undefined };
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return { lines: [], denial: error.message };
  }
}

function shortened(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}...`;
}

/** Interval of checks that the endpoint still exists, in ms. */
const DESCRIBE_EVERY = 30_000;
/** Lines can arrive after the end. The log is over after this number of consecutive reads without lines. */
const QUIET_ROUNDS = 2;
const MOST_ROUNDS_AFTER = 30;

/**
 * Shows new lines of an endpoint's log until the endpoint is deleted or `Failed`. Retries while AWS does
 * not respond.
 *
 * @param show prints lines, which are safe for a terminal.
 * @returns how the endpoint ended: `it was deleted`, or the status with the reason.
 * @throws AwsError if mlcli has no permission to read the log or to describe the endpoint.
 * @throws Interrupted after Ctrl-C.
 */
export async function followEndpointLog(
  endpoint: EndpointDescription,
  log: LogReader,
  sagemaker: Pick<SageMaker, "describeEndpoint">,
  host: CloudHost,
  show: (lines: readonly string[]) => Promise<void>,
): Promise<string> {
  const { clock } = host;
  const waiter = new Waiter(host, { what: "endpoint" });
  const showNews = async (): Promise<number> => {
    let count = 0;
    for await (const lines of log.news()) {
      count += lines.length;
      await show(lines);
    }
    return count;
  };
  let [end, asked, quiet, after] = [endOf(endpoint), clock.now(), 0, 0];
  for (;;) {
    const lines = await waiter.ask("log", showNews);
    if (end !== undefined) {
      quiet = lines?.answer === 0 ? quiet + 1 : 0;
      if (quiet === QUIET_ROUNDS || ++after === MOST_ROUNDS_AFTER) return end;
    }
    await waiter.pause((lines?.answer ?? 0) > 0);
    if (end !== undefined || clock.now() - asked < DESCRIBE_EVERY) continue;
    const latest = await waiter.ask(
      "endpoint",
      () => orNothing(sagemaker.describeEndpoint(endpoint.name)),
    );
    asked = clock.now();
    if (latest) end = endOf(latest.answer, endpoint.creationTime);
  }
}

/**
 * Returns how the endpoint ended; `undefined` if it still exists. A newer endpoint of the same name is
 * another one.
 */
function endOf(latest: EndpointDescription | undefined, created?: Date): string | undefined {
  if (!latest || (created && latest.creationTime > created)) return "it was deleted";
  if (latest.status !== "Failed") return undefined;
  return `Failed${latest.failureReason ? `: ${printable(latest.failureReason)}` : ""}`;
}
