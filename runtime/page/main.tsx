/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** The page of `mlcli local ui`, and of a report: what is around the views, and which is shown. */

import { type ComponentChildren, type JSX, render } from "preact";
import { useEffect, useErrorBoundary, useMemo, useRef, useState } from "preact/hooks";
import { type Address, addressOf, type View } from "./address.ts";
import type { App, Report } from "./api.ts";
import { ComparisonView } from "./comparison.tsx";
import { Failed, Link, PageProvider, Time, useLoaded } from "./parts.tsx";
import { RunView } from "./run.tsx";
import { RunsView } from "./runs.tsx";
import { ServersView } from "./servers.tsx";
import { liveSource, reportSource } from "./source.ts";
import { NOTHING_YET, type State } from "./state.ts";

function Root({ report }: { readonly report: Report | undefined }): JSX.Element {
  const { token, view } = useAddress();
  const source = useMemo(() => report ? reportSource(report) : liveSource(token), [token]);
  const [state, setState] = useState(NOTHING_YET);
  useEffect(() => report || token ? source.watch(setState) : undefined, [source]);
  const [app, sentence] = useLoaded(() => source.app(), [source, state.connection]);
  if (!report && (token === "" || state.connection === "refused")) return <NoToken token={token} />;
  if (!app) {
    return (
      <main>
        <h1>mlcli</h1>
        {sentence}
      </main>
    );
  }
  return (
    <PageProvider value={{ source, token, app }}>
      <Frame app={app} view={view} report={report} state={state}>
        <Shown key={view.join("/")} view={view} state={state} />
      </Frame>
    </PageProvider>
  );
}

function useAddress(): Address {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => addEventListener("hashchange", () => setHash(location.hash)), []);
  return useMemo(() => addressOf(hash), [hash]);
}

interface FrameProps {
  readonly app: App;
  readonly view: View;
  readonly report: Report | undefined;
  readonly state: State;
  readonly children: ComponentChildren;
}

function Frame({ app: { app, version }, view, report, state, children }: FrameProps): JSX.Element {
  const [name, run] = view;
  const title = name === "runs" && run || name[0]!.toUpperCase() + name.slice(1);
  const main = useRef<HTMLElement>(null);
  const shown = useRef(view);
  useEffect(() => {
    document.title = `${title} · ${app} · mlcli`;
    // Who uses a keyboard or listens begins at the new view, and not at the link that led to it.
    if (shown.current !== view) main.current?.focus();
    shown.current = view;
  }, [view]);
  return (
    <>
      <header>
        <button type="button" class="skip" onClick={() => main.current?.focus()}>
          Skip to the content
        </button>
        <strong>{app}</strong>
        <nav aria-label="Views">
          <Link to={["runs"]} isCurrent={name === "runs" && !run}>Runs</Link>
          {!report && <Link to={["servers"]} isCurrent={name === "servers"}>Servers</Link>}
        </nav>
        <span class="quiet">
          {report && (
            <>
              Report of <Time of={report.made} />,{" "}
            </>
          )}mlcli {version}
        </span>
      </header>
      <div role="status" class="connection">
        {state.connection === "lost" && "mlcli local ui has ended, or is not reached"}
      </div>
      <main ref={main} tabIndex={-1}>
        <h1>{title}</h1>
        {children}
      </main>
    </>
  );
}

function Shown(
  { view: [name, one, other], state }: { readonly view: View; readonly state: State },
): JSX.Element {
  const [error] = useErrorBoundary();
  const { runs } = state;
  if (error) return <Failed error={new Error(`This cannot be shown: ${error}`)} />;
  if (name === "servers") return <ServersView state={state} />;
  if (!runs) return <p>Loading …</p>;
  if (name === "comparison" && one && other) {
    return <ComparisonView names={[one, other]} runs={runs} />;
  }
  return one
    ? <RunView name={one} listed={runs.find(({ name }) => name === one)} />
    : <RunsView runs={runs} />;
}

function NoToken({ token }: { readonly token: string }): JSX.Element {
  return (
    <main>
      <h1>The address is not complete</h1>
      <p>
        {token === ""
          ? "It lacks the token at its end. "
          : "The token at its end is not that of the running mlcli local ui. "}
        Open the address that <code>mlcli local ui</code> printed last: it has the token behind{" "}
        <code>#</code>.
      </p>
    </main>
  );
}

const data = document.getElementById("report")?.textContent;
render(<Root report={data ? JSON.parse(data) : undefined} />, document.getElementById("page")!);
