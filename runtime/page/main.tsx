/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** The page of `mlcli local ui`, and of a report: what is around the views, and which is shown. */

import { type ComponentChildren, type JSX, render } from "preact";
import { useEffect, useErrorBoundary, useMemo, useRef, useState } from "preact/hooks";
import { addressOf, type View } from "./address.ts";
import { ComparisonView } from "./comparison.tsx";
import { Failed, Link, type Page, PageProvider, Time, useLoaded } from "./parts.tsx";
import { RunView } from "./run.tsx";
import { RunsView } from "./runs.tsx";
import { ServersView } from "./servers.tsx";
import { liveSource, reportSource } from "./source.ts";
import { NOTHING_YET, type State } from "./state.ts";
import type { Report } from "./api.ts";

function Root({ report }: { readonly report: Report | undefined }): JSX.Element {
  const { token, view } = useAddress();
  const source = useMemo(() => report ? reportSource(report) : liveSource(token), [token]);
  const [state, setState] = useState(NOTHING_YET);
  useEffect(() => token || report ? source.watch(setState) : undefined, [source]);
  const hasStarted = state.connection === "open";
  const app = useLoaded(() => source.app(), [source, hasStarted]);
  if (!report && (token === "" || state.connection === "refused")) return <NoToken token={token} />;
  const page = { source, token, app: app.value ?? { app: "", version: "", sample: null } };
  return (
    <PageProvider value={page}>
      <Frame page={page} view={view} report={report} state={state}>
        {app.error && !hasStarted
          ? <Failed error={app.error} />
          : <Shown key={JSON.stringify(view)} view={view} state={state} />}
      </Frame>
    </PageProvider>
  );
}

function useAddress(): ReturnType<typeof addressOf> {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const listener = (): void => setHash(location.hash);
    addEventListener("hashchange", listener);
    return () => removeEventListener("hashchange", listener);
  }, []);
  return useMemo(() => addressOf(hash), [hash]);
}

function Frame({ page, view, report, state, children }: {
  readonly page: Page;
  readonly view: View;
  readonly report: Report | undefined;
  readonly state: State;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { app, version } = page.app;
  const main = useRef<HTMLElement>(null);
  const shown = useRef(view);
  const title = titleOf(view);
  useEffect(() => {
    document.title = `${title} · ${app} · mlcli`;
    // A reader by ear or keyboard begins at the new view, and not at the link that led to it.
    if (shown.current !== view) main.current?.focus();
    shown.current = view;
  }, [view, app]);
  return (
    <>
      <header>
        <button type="button" class="skip" onClick={() => main.current?.focus()}>
          Skip to the content
        </button>
        <strong>{app || "mlcli"}</strong>
        <nav aria-label="Views">
          <Link to={{ name: "runs" }} isCurrent={view.name === "runs"}>Runs</Link>
          {!report && (
            <Link to={{ name: "servers" }} isCurrent={view.name === "servers"}>Servers</Link>
          )}
        </nav>
        <span class="quiet">
          {report
            ? (
              <>
                Report of <Time of={report.made} />, mlcli {version}
              </>
            )
            : `mlcli ${version}`}
        </span>
      </header>
      <div role="status" class={state.connection === "lost" ? "unreached" : undefined}>
        {state.connection === "lost" && "mlcli local ui has ended, or is not reached"}
      </div>
      <main ref={main} tabIndex={-1}>
        <h1>{title}</h1>
        {children}
      </main>
    </>
  );
}

function titleOf(view: View): string {
  if (view.name === "run") return view.run;
  return view.name === "comparison" ? "Comparison" : view.name === "runs" ? "Runs" : "Servers";
}

function Shown({ view, state }: { readonly view: View; readonly state: State }): JSX.Element {
  const [error] = useErrorBoundary();
  if (error) return <Failed error={new Error(`This cannot be shown: ${error}`)} />;
  switch (view.name) {
    case "servers":
      return <ServersView state={state} />;
    case "comparison":
      return <ComparisonView names={view.runs} runs={state.runs ?? []} />;
    case "run":
      return <RunView name={view.run} listed={state.runs?.find(({ name }) => name === view.run)} />;
    case "runs":
      return state.runs ? <RunsView runs={state.runs} /> : <p>Loading …</p>;
  }
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
