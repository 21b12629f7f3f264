/** Two runs side by side. */

import type { JSX } from "preact";
import { printable } from "../text.ts";
import type { CodeChange, Comparison, ListedRun } from "./api.ts";
import { Charts } from "./charts.tsx";
import { Log } from "./log.tsx";
import { RunLink, Scrolled, Swatch, Table, useLoaded, usePage } from "./parts.tsx";

interface ComparisonProps {
  readonly names: readonly [string, string];
  readonly runs: readonly ListedRun[];
}

export function ComparisonView({ names, runs }: ComparisonProps): JSX.Element {
  const { source } = usePage();
  const statuses = runs.filter(({ name }) => names.includes(name)).map(({ status }) => status);
  const [comparison, sentence] = useLoaded(() => source.comparison(...names), [statuses.join()]);
  const [a, b] = comparison?.runs.map(({ name }) => name) ?? names;
  const both = [a!, b!].flatMap((name) => runs.find((run) => run.name === name) ?? []);
  return (
    <>
      <p>
        A is <Swatch of={a!} /> <RunLink name={a!} />, B is <Swatch of={b!} />{" "}
        <RunLink name={b!} />.
      </p>
      <Charts runs={both} />
      {sentence ?? <Differences of={comparison!} />}
      <h2>Logs</h2>
      <div class="panels">
        {both.map(({ name, log_bytes }) => (
          <section key={name}>
            <h3>{name}</h3>
            <Log name={name} size={log_bytes} />
          </section>
        ))}
      </div>
    </>
  );
}

function Differences({ of: { differences, code } }: Readonly<{ of: Comparison }>): JSX.Element {
  return (
    <>
      <h2>Differences</h2>
      {differences.length === 0 && <p>No differences</p>}
      <Table
        label="Differences"
        headings={["Kind", "Name", "A", "B"]}
        rows={differences.map(({ what, name, values }) => [what, name, ...values])}
      />
      <h2>Code</h2>
      {code === null && (
        <p>Cannot compare the code: the code of one run was not kept or is too large</p>
      )}
      {code?.length === 0 && <p>Both runs have the same code</p>}
      {code?.map((change) => <Change key={change.path} of={change} />)}
    </>
  );
}

function Change({ of: { path, change, patch } }: Readonly<{ of: CodeChange }>): JSX.Element {
  return (
    <details open>
      <summary>{change} {path}</summary>
      {patch !== null && (
        <Scrolled label={`Changes to ${path}`}>
          <pre class="diff">
            {printable(patch).trimEnd().split("\n").map((line, index) => (
              <span key={index} class={kindOf(line)}>{`${line}\n`}</span>
            ))}
          </pre>
        </Scrolled>
      )}
    </details>
  );
}

/** Of a line of a diff. */
function kindOf(line: string): string | undefined {
  if (/^(\+\+\+ |--- |@@)/.test(line)) return "hunk";
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : undefined;
}
