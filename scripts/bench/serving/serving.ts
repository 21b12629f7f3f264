/**
 * The server in the image against gunicorn's threaded worker, uvicorn and waitress around the same
 * application: the table of docs/explanation/server.md.
 */

import { type Contest, type Figure, type Goal, THE_BEST } from "../contest.ts";
import type { BenchApp } from "../local.ts";
import { commandOf, PORT, type ServerName, SERVERS, startServers } from "./servers.ts";
import { parseReport, wrk, type WrkReport } from "./wrk.ts";

/** Where a second server of a container listens: one that is started to be measured. */
const SECOND_PORT = 8081;

/** The platform gives up a /ping after 2 s (docs/reference/contract.md). */
const PING_LIMIT: Goal = { atMost: 2_000 };

/** Contests, and the containers that they need while they run. */
export interface ServingBench extends AsyncDisposable {
  readonly contests: readonly Contest[];
}

/** Starts all servers. */
export async function makeServingBench(app: BenchApp): Promise<ServingBench> {
  const servers = await startServers(app);
  const execute = (server: string, command: readonly string[]): Promise<string> =>
    servers.execute(server as ServerName, command);

  const withWrk =
    (connections: number, value: (report: WrkReport) => number) =>
    async (server: string): Promise<Figure> => {
      const command = wrk(connections, `http://127.0.0.1:${PORT}/invocations`);
      return value(parseReport(await execute(server, command)));
    };
  const withLoad = (kind: string) => async (server: string): Promise<Figure> =>
    parseFigure(await execute(server, ["python3", "/bench/load.py", kind]));
  const withSecond = (measured: "start" | "end") => async (server: string): Promise<Figure> => {
    const command = commandOf(server as ServerName, SECOND_PORT);
    const lifetime = ["python3", "/bench/lifetime.py", measured, String(SECOND_PORT)];
    return parseFigure(await execute(server, [...lifetime, ...command]));
  };
  const contest = (
    title: string,
    unit: string,
    measure: Contest["measure"],
    goals: readonly Goal[],
    rounds = 3,
  ): Contest => ({ title, unit, measure, goals, rounds, contenders: SERVERS });

  const fast: readonly Goal[] = [{ atLeast: 0.8, of: THE_BEST }, { atLeast: 1, of: "gthread" }];
  const rate = (connections: number): Contest["measure"] =>
    withWrk(connections, (report) => report.requestsPerSecond);
  return {
    contests: [
      contest("small bodies, 8 connections", "requests/s", rate(8), fast, 5),
      contest("small bodies, 64 connections", "requests/s", rate(64), fast, 5),
      contest(
        "small bodies, 256 connections, p99",
        "ms",
        withWrk(256, (report) => report.p99),
        [{ atMost: 1.5, of: THE_BEST }],
        5,
      ),
      contest("1,000 new connections, a /ping each, longest", "ms", withLoad("new-connections"), [
        PING_LIMIT,
        { atMost: 1, of: "gthread" },
      ], 5),
      contest("/ping during 8 slow predictions, longest", "ms", withLoad("slow-predictions"), [
        PING_LIMIT,
      ]),
      contest("/ping with 128 half-sent requests, longest", "ms", withLoad("half-sent"), [
        PING_LIMIT,
      ]),
      // Before it had a reader of its own, mlcli's server needed as much as gthread.
      contest("5 MB bodies, processor time each", "ms", withLoad("large-bodies"), [
        { atMost: 0.55, of: "gthread" },
      ]),
      contest("SIGTERM to exit, 3 half-sent, 1 running", "ms", withSecond("end"), [
        { atMost: 6_000 },
      ], 1),
      contest("start to ready", "ms", withSecond("start"), [{ atMost: 1.1, of: "gthread" }], 5),
    ],
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  };
}

/** What the scripts in the container print: a number, or why there is none. */
function parseFigure(text: string): Figure {
  const number = Number(text);
  return Number.isNaN(number) ? text.trim() : number;
}
