/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** The page of `mlcli local ui`, and of a report: what is around the views, and which is shown. */

import { type JSX, render } from "preact";
import { useEffect, useErrorBoundary, useMemo, useRef, useState } from "preact/hooks";
import { addressOf, type View } from "./address.ts";
import type { Report } from "./api.ts";
import { ComparisonView } from "./comparison.tsx";
import { Failed, Link, PageProvider, Time, useLoaded } from "./parts.tsx";
import { RunView } from "./run.tsx";
import { RunsView } from "./runs.tsx";
import { ServersView } from "./servers.tsx";
import { liveSource, reportSource } from "./source.ts";
import { NOTHING_YET, type State } from "./state.ts";

const data = document.getElementById("report")?.textContent;
const report: Report | undefined = data ? JSON.parse(data) : undefined;
const { token } = addressOf(location.hash);
const source = report ? reportSource(report) : liveSource(token);

function Page(): JSX.Element {
  const [hash, setHash] = useState(location.hash);
  const { view } = useMemo(() => addressOf(hash), [hash]);
  useEffect(() => addEventListener("hashchange", () => setHash(location.hash)), []);
  const [state, setState] = useState(NOTHING_YET);
  useEffect(() => source.watch(setState), []);
  const [app, sentence] = useLoaded(() => source.app(), [state.connection === "lost"]);
  const [name, run] = view;
  const title = name === "runs" && run || name[0]!.toUpperCase() + name.slice(1);
  const main = useRef<HTMLElement>(null);
  const before = useRef(view);
  useEffect(() => {
    document.title = `${title} · ${app?.app ?? "mlcli"}`;
    // Who uses a keyboard or listens begins at the new view, and not at the link that led to it.
    if (before.current !== view) main.current?.focus();
    before.current = view;
  }, [view, app]);
  if (state.connection === "refused") {
    return <NoToken reason="The token in this address is no longer valid." />;
  }
  if (!app) {
    return (
      <main>
        <h1>mlcli</h1>
        {sentence}
      </main>
    );
  }
  return (
    <PageProvider value={{ source, app }}>
      <header>
        <button type="button" class="skip" onClick={() => main.current?.focus()}>
          Skip to content
        </button>
        <strong>{app.app}</strong>
        <nav aria-label="Views">
          <Link to={["runs"]} isCurrent={name === "runs" && !run}>Runs</Link>
          {!report && <Link to={["servers"]} isCurrent={name === "servers"}>Servers</Link>}
        </nav>
        <small>
          {report && (
            <>
              Report created <Time of={report.made} />,{" "}
            </>
          )}mlcli {app.version}
        </small>
      </header>
      <div role="status" class="connection">
        {state.connection === "lost"
          ? "mlcli local ui has stopped or cannot be reached"
          : state.runsProblem}
      </div>
      <main ref={main} tabIndex={-1}>
        <h1>{title}</h1>
        <Shown key={view.join("/")} view={view} state={state} />
      </main>
    </PageProvider>
  );
}

function Shown({ view, state }: Readonly<{ view: View; state: State }>): JSX.Element {
  const [error] = useErrorBoundary();
  const [name, one, other] = view;
  const { runs } = state;
  if (error) return <Failed error={new Error(`Cannot show this page: ${error}`)} />;
  if (name === "servers") return <ServersView {...state} />;
  if (!runs) return <p>Loading…</p>;
  if (!one) return <RunsView runs={runs} />;
  if (name === "comparison" && other) return <ComparisonView names={[one, other]} runs={runs} />;
  return <RunView name={one} listed={runs.find(({ name }) => name === one)} />;
}

function NoToken({ reason }: Readonly<{ reason: string }>): JSX.Element {
  return (
    <main>
      <h1>Invalid address</h1>
      <p>
        {reason} Open the latest address that <code>mlcli local ui</code>{" "}
        printed, including the part after <code>#</code>.
      </p>
    </main>
  );
}

// With another token, all begins anew.
addEventListener("hashchange", () => addressOf(location.hash).token === token || location.reload());
const page = report || token ? <Page /> : <NoToken reason="This address has no token." />;
render(page, document.getElementById("page")!);
