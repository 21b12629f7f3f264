/** The servers on this machine, what they serve, and how quickly they answer. */

import type { JSX } from "preact";
import type { Requests, Server } from "./api.ts";
import { Fact, RunLink, Status, Table, Time } from "./parts.tsx";
import type { State } from "./state.ts";
import { TryServer } from "./try_server.tsx";

export function ServersView(
  { state: { servers, problem } }: { readonly state: State },
): JSX.Element {
  const serving = servers?.filter(({ role }) => role === "serve");
  return (
    <>
      {problem !== null && <p class="failed">{problem}</p>}
      {serving === undefined ? <p>Loading …</p> : serving.length === 0 && problem === null &&
        (
          <p>
            No server is running. <code>mlcli local deploy</code> starts one.
          </p>
        )}
      {serving?.map((server) => <ServerCard key={server.name} server={server} />)}
      <datalist id="types">
        <option value="application/json">JSON</option>
        <option value="text/csv">CSV</option>
      </datalist>
    </>
  );
}

function ServerCard({ server }: Readonly<{ server: Server }>): JSX.Element {
  const { app, port, state, model_run, from_page, from_watch } = server;
  return (
    <article>
      <h2>{port === null ? app : `${app} on port ${port}`}</h2>
      <dl>
        <Fact name="Health">
          <Status of={state} />
        </Fact>
        <Fact name="Why">{reasonOf(server)}</Fact>
        <Fact name="Serves the model of">{model_run && <RunLink name={model_run} />}</Fact>
        <Fact name="Since">
          <Time of={server.created} />
        </Fact>
        <Fact name="Image">{server.image}</Fact>
        <Fact name="mlcli">{server.mlcli}</Fact>
        <Fact name="Container">{server.name}</Fact>
        {NEWER.map(([key, text]) => {
          const time = server.stale?.[key];
          return <Fact key={key} name={text}>{time && <Time of={time} />}</Fact>;
        })}
      </dl>
      <RequestTable page={from_page} watch={from_watch} />
      {state === "healthy" && port !== null && <TryServer port={port} served={app} />}
    </article>
  );
}

/** What is newer than a server, by the names that `mlcli local status --output json` has. */
const NEWER = [
  ["code_edited", "Stale: code edited"],
  ["model_trained", "Stale: model trained"],
  ["image_built", "Stale: image built"],
] as const;

function reasonOf({ state, ping_status, ping_failure, exit_status }: Server): string | null {
  if (exit_status !== null) return `It ended with status ${exit_status}`;
  if (state !== "unhealthy") return null;
  return ping_failure ?? (ping_status === null ? null : `GET /ping answers ${ping_status}`);
}

function RequestTable(
  { page, watch }: { readonly page: Requests | null; readonly watch: Requests | null },
): JSX.Element {
  const rows = [["This page", page], ["--watch", watch]] as const;
  const known = rows.flatMap(([from, of]) =>
    of ? [[from, of.requests, of.failed, of.p50, of.p95, of.p99]] : []
  );
  return (
    <Table
      label="Requests"
      headings={["Requests from", "Requests", "Failed", "p50, ms", "p95, ms", "p99, ms"]}
      numbers={[1, 6]}
      rows={known}
    />
  );
}
