import type { Context } from "../../runtime/context.ts";
import { shellWord } from "../../runtime/app/typed_path.ts";
import { invoke } from "../../runtime/local/server/invoke.ts";
import { jsonStatus } from "../../runtime/local/server/json.ts";
import { onlyServer } from "../../runtime/local/server/servers.ts";
import type { Stale } from "../../runtime/local/server/made_of.ts";
import { stalenessOn } from "../../runtime/local/server/staleness.ts";
import {
  type ContainerStatus,
  containerStatuses,
  type Health,
} from "../../runtime/local/server/status.ts";
import { localTimestamp } from "../../runtime/time.ts";
import { noteText, tell } from "../../runtime/messages.ts";
import { inOneLine, printableJson } from "../../runtime/text.ts";
import { requestBody } from "../named_files.ts";
import { requestHeaders } from "../options/invocation.ts";
import { durationText } from "../../runtime/quantities.ts";
import { green, red, timeOfDay, yellow } from "../render/format.ts";
import { tableText } from "../render/table.ts";
import type { InvokeOptions } from "./invoke.ts";
import type { StatusOptions } from "./status.ts";

const HEADINGS = ["APP", "ROLE", "PORT", "HEALTH", "AGE", "IMAGE", "MODEL"];
const HEALTH_COLUMN = 3;

/** Prints a line a container. */
export async function statusAction(context: Context, options: StatusOptions): Promise<void> {
  const statuses = await containerStatuses(options.appName, context);
  if (options.output === "json") {
    context.out.print(`${printableJson(statuses.map(jsonStatus), 2)}\n`);
    return;
  }
  const { out } = context;
  const now = context.clock.date();
  const rows = statuses.map((status) => textRow(status, out.isTerminal, now).map(inOneLine));
  out.print(tableText(HEADINGS, rows, out, paint));
  for (const { appName, port, stale } of statuses) {
    if (stale === undefined) continue;
    const words = staleText(stale, port!, now);
    tell(context.err, noteText(`The server of ${appName} on port ${port} is stale: ${words}`));
  }
  if (rows.length === 0 && context.err.isTerminal) {
    const whose = options.appName === undefined ? "" : ` of ${inOneLine(options.appName)}`;
    tell(context.err, `No active servers or runs${whose}. Start a server: mlcli local deploy\n`);
  }
}

function textRow(status: ContainerStatus, isTerminal: boolean, now: Date): string[] {
  const { appName, role, port, health, created, image, server, stale } = status;
  const isStale = health.state === "healthy" && stale !== undefined;
  // For a program the time itself, which stays the same.
  const age = isTerminal
    ? durationText(now.getTime() - created.getTime())
    : localTimestamp(created, "T");
  return [
    appName,
    role,
    port === undefined ? "-" : String(port),
    isStale ? "stale" : healthText(health),
    age,
    image,
    server?.modelRun?.replace(isTerminal ? `${appName}-` : "", "") ?? "-",
  ];
}

/** `healthy`, `HTTP 503`, `no response`, `running`, `exited (137)`, ... */
function healthText(health: Health): string {
  switch (health.state) {
    case "healthy":
    case "running":
      return health.state;
    case "unhealthy":
      return health.answer.status === undefined ? "no response" : `HTTP ${health.answer.status}`;
    case "other":
      return health.exitStatus === undefined
        ? health.name
        : `${health.name} (${health.exitStatus})`;
  }
}

function paint(field: string, column: number): string {
  if (column !== HEALTH_COLUMN) return field;
  if (field === "healthy" || field === "running") return green(field);
  return field.startsWith("exited") || field === "dead" ? red(field) : yellow(field);
}

/** Sends a file, or standard input (no file, or `-`), and prints the answer. */
export async function invokeAction(context: Context, options: InvokeOptions): Promise<void> {
  const { accept, stream, timeout } = options;
  const typed = options.port === undefined ? "" : ` --port ${options.port}`;
  const body = requestBody(context, options, `mlcli local invoke${typed}`);
  const headers = requestHeaders(options.header);
  const note = (text: string): void => tell(context.err, noteText(text));
  const port = options.port ?? (await onlyServer("invoke", undefined, context)).port;
  const answer = invoke({ port, accept, headers, stream, timeout, body }, context, note);
  const stale = await stalenessOn(port, context, answer);
  if (stale !== undefined && !context.interruption.signal.aborted) {
    // Below the answer. Also if the request fails: that may be why.
    await answer.catch(() => {});
    note(`The server is stale: ${staleText(stale, port, context.clock.date())}`);
  }
  await answer;
}

/** Returns the stale parts of a server (`code edited 14:03, model trained 14:05`), and what to do. */
function staleText(
  { code, model, image, credentials, profile, run, isWatched = false }: Stale,
  port: number,
  now: Date,
): string {
  const parts = [["code edited", code], ["model trained", model], ["image built", image]] as const;
  const words = parts.flatMap(([what, time]) =>
    time === undefined ? [] : [`${what} ${timeOfDay(time, now)}`]
  );
  if (credentials !== undefined) {
    const verb = credentials > now ? "expire" : "expired";
    words.push(`AWS credentials ${verb} ${timeOfDay(credentials, now)}`);
  }
  const renewal = profile === undefined ? "" : ` --aws-credentials ${shellWord(profile)}`;
  const version = run === undefined ? "" : ` --run ${shellWord(run)}`;
  return isWatched
    ? `${words.join(", ")}; see the output of mlcli local deploy --watch`
    : `${words.join(", ")}; update it: ` +
      `mlcli local deploy --port ${port} --replace${version}${renewal}`;
}
