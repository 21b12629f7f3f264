/** The servers on this machine, what they serve, and how quickly they answer. */

import { Fragment, type JSX } from "preact";
import type { Requests, Server } from "./api.ts";
import { Facts, RunLink, Status, Table, Time, usePage } from "./parts.tsx";
import type { State } from "./state.ts";
import { TryServer } from "./try_server.tsx";

type ServersProps = Pick<State, "servers" | "serversProblem">;

export function ServersView({ servers, serversProblem }: ServersProps): JSX.Element {
  const { app } = usePage().app;
  // Those of this app first.
  const serving = servers?.filter(({ role }) => role === "serve")
    .toSorted((one, other) => Number(other.app === app) - Number(one.app === app));
  return (
    <>
      {serversProblem !== null && <p class="failed">{serversProblem}</p>}
      {serving === undefined && <p>Loading…</p>}
      {serving?.length === 0 && serversProblem === null && (
        <p>
          No servers are running. Start one: <code>mlcli local deploy</code>
        </p>
      )}
      {serving?.map((server) => (
        <ServerCard
          key={`${server.app} ${server.port}`}
          server={server}
        />
      ))}
      <datalist id="types">
        <option value="application/json">JSON</option>
        <option value="text/csv">CSV</option>
      </datalist>
    </>
  );
}

function ServerCard({ server }: Readonly<{ server: Server }>): JSX.Element {
  const { app, port, state, model_run: run, from_page, from_watch, stale } = server;
  // The runs of other apps are not on this page.
  const made = run !== null && app === usePage().app.app ? <RunLink name={run} /> : run;
  const title = port === null ? app : `${app} on port ${port}`;
  const reason = reasonOf(server);
  const newer = Object.entries(stale ?? {}).filter(([, time]) => time !== null);
  return (
    <article>
      <h2>{title}</h2>
      {reason && <p class="failed">{reason}</p>}
      {stale && (
        <p>
          Stale: {newer.map(([what, time], at) => (
            <Fragment key={what}>
              {at > 0 && ", "}
              {what.replace("_", " ")} <Time of={time!} />
            </Fragment>
          ))}. Update it: <code>mlcli local deploy --port {port} --replace</code>
        </p>
      )}
      <Facts
        of={{
          Health: <Status of={stale && state === "healthy" ? "stale" : state} />,
          "Model from run": made,
          Started: <Time of={server.created} />,
          Image: server.image,
          mlcli: server.mlcli,
          Container: server.name,
        }}
      />
      <Table
        label={`Requests to ${title}`}
        headings={["Sent by", "Requests", "Failed", "p50 (ms)", "p95 (ms)", "p99 (ms)"]}
        rows={[...requestsOf("This page", from_page), ...requestsOf("--watch", from_watch)]}
      />
      {state === "healthy" && port !== null && <TryServer port={port} served={app} />}
    </article>
  );
}

function reasonOf({ state, ping_status, ping_failure, exit_status }: Server): string | null {
  if (exit_status !== null) return `The server exited with code ${exit_status}`;
  if (state !== "unhealthy") return null;
  return ping_failure ?? (ping_status === null ? null : `GET /ping returns ${ping_status}`);
}

/** @returns a row of the table of requests, where there are any. */
function requestsOf(from: string, of: Requests | null): readonly (readonly (string | number)[])[] {
  return of ? [[from, of.requests, of.failed, of.p50, of.p95, of.p99]] : [];
}
