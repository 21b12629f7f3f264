/** A run: all that its record says, its curves, files and log. */

import type { JSX } from "preact";
import type { Files, ListedRun, WholeRun } from "./api.ts";
import { Charts } from "./charts.tsx";
import { colourOf } from "./colours.ts";
import { Log } from "./log.tsx";
import { Duration, Fact, Status, Table, Time, useLoaded, usePage } from "./parts.tsx";
import { bytesText, NONE, textOf } from "./text.ts";
import { Transform } from "./transform.tsx";
import { useCurves } from "./use_curves.ts";

interface RunProps {
  readonly name: string;
  /** What the list says of it, which is newer than what was loaded. */
  readonly listed: ListedRun | undefined;
}

export function RunView({ name, listed }: RunProps): JSX.Element {
  const { source } = usePage();
  const of = [source, name, listed?.status];
  const [whole, sentence] = useLoaded(() => source.run(name), of);
  const [files, noFiles] = useLoaded(() => source.files(name), of);
  const curves = useCurves(source, listed ? [listed] : [])(name);
  if (!whole) return sentence!;
  const run = { ...whole, ...listed };
  return (
    <>
      {run.reason && <p class={run.status === "Failed" ? "failed" : undefined}>{run.reason}</p>}
      <Summary run={run} />
      {run.transform && <Transform facts={run.transform} />}
      {Object.keys(curves).length > 0 && (
        <>
          <h2>Curves</h2>
          <Charts runs={[{ name, colour: colourOf(0), curves }]} />
        </>
      )}
      <Record run={run} />
      <h2>Files</h2>
      {noFiles ?? <FileTable files={files!} />}
      <h2>Log</h2>
      {listed ? <Log name={name} size={listed.log_bytes} /> : <p>The run is gone.</p>}
    </>
  );
}

function Summary({ run }: Readonly<{ run: WholeRun }>): JSX.Element {
  return (
    <dl>
      <Fact name="Status" value={<Status of={run.status} />} />
      <Fact name="Exit status" value={run.exit_status} />
      <Fact name="Kind" value={run.kind} />
      <Fact name="Created" value={<Time of={run.created} />} />
      <Fact name="Duration" value={<Duration of={run} />} />
      <Fact name="Commit" value={run.commit} />
    </dl>
  );
}

function Record({ run }: Readonly<{ run: WholeRun }>): JSX.Element {
  const { metrics, data, packages } = run;
  return (
    <>
      <Values title="Hyperparameters" of={run.hyperparameters} />
      {Object.keys(metrics).length > 0 && <h2>Metrics</h2>}
      <Table
        label="Metrics"
        headings={["Metric", "Last", "Min", "Max", "Values"]}
        numbers={[1, 5]}
        rows={Object.entries(metrics).map(([name, of]) =>
          [name, of.last, of.min, of.max, of.count].map(textOf)
        )}
      />
      {Object.keys(data).length > 0 && <h2>Data</h2>}
      <Table
        label="Data"
        headings={["Channel", "Files", "Size", "Hash", "By"]}
        numbers={[1, 3]}
        rows={Object.entries(data).map((
          [name, of],
        ) => [name, of.files, bytesText(of.bytes), of.hash, of.by])}
      />
      <Values title="Channels" of={run.channels} />
      <Values title="Options" of={run.options} />
      <h2>Environment</h2>
      <dl>
        {ENVIRONMENT.map(([name, key]) => <Fact key={key} name={name} value={run[key]} />)}
        <Fact name="Variables" value={run.variables.join(", ")} />
      </dl>
      {packages && (
        <details>
          <summary>{Object.keys(packages).length} packages</summary>
          <Table
            label="Packages"
            headings={["Package", "Version"]}
            rows={Object.entries(packages)}
          />
        </details>
      )}
    </>
  );
}

const ENVIRONMENT = [
  ["Image", "image"],
  ["Image id", "image_id"],
  ["Container", "container"],
  ["Code", "code"],
  ["Python", "python"],
  ["mlcli", "mlcli"],
  ["Model", "model"],
  ["Outputs", "outputs"],
  ["Source", "source"],
  ["Log", "log"],
] as const;

function Values(
  { title, of }: { readonly title: string; readonly of: Readonly<Record<string, string>> },
): JSX.Element | null {
  const values = Object.entries(of);
  return values.length === 0 ? null : (
    <>
      <h2>{title}</h2>
      <dl>{values.map(([name, value]) => <Fact key={name} name={name} value={value} />)}</dl>
    </>
  );
}

function FileTable({ files: { entries, is_cut } }: Readonly<{ files: Files }>): JSX.Element {
  return (
    <>
      {entries.length === 0 && <p>There are none.</p>}
      <Table
        label="Files"
        headings={["Name", "Kind", "Size"]}
        numbers={[2, 3]}
        rows={entries.map((
          { path, kind, bytes },
        ) => [path, kind, kind === "file" ? bytesText(bytes) : NONE])}
      />
      {is_cut && <p>There are more than these.</p>}
    </>
  );
}
