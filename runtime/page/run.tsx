/** A run: all that its record says, its curves, files and log. */

import type { JSX } from "preact";
import type { Files, ListedRun, WholeRun } from "./api.ts";
import { Charts } from "./charts.tsx";
import { colourOf } from "./colours.ts";
import { bytesText, textOf } from "./text.ts";
import { Log } from "./log.tsx";
import {
  Duration,
  Fact,
  Facts,
  Failed,
  Status,
  Table,
  Time,
  useLoaded,
  usePage,
  Waiting,
} from "./parts.tsx";
import { Transform } from "./transform.tsx";
import { useCurves } from "./use_curves.ts";

/** @param listed what the list says of it, which is newer than what was loaded. */
export function RunView(
  { name, listed }: { readonly name: string; readonly listed: ListedRun | undefined },
): JSX.Element {
  const { source } = usePage();
  const of = [source, name, listed?.status];
  const whole = useLoaded(() => source.run(name), of);
  const files = useLoaded(() => source.files(name), of);
  return (
    <>
      <Waiting on={whole}>{(run) => <Record run={{ ...run, ...listed }} />}</Waiting>
      {listed && <Curves run={listed} />}
      <h2>Files</h2>
      {files.error
        ? <Failed error={files.error} />
        : <Waiting on={files}>{(files) => <FileTable files={files} />}</Waiting>}
      <h2>Log</h2>
      {listed && <Log name={name} size={listed.log_bytes} />}
    </>
  );
}

function Record({ run }: { readonly run: WholeRun }): JSX.Element {
  const { metrics, hyperparameters, options, data, packages, transform } = run;
  return (
    <>
      <Facts>
        <Fact name="Status">
          <Status of={run.status} />
        </Fact>
        <Fact name="Reason">{run.reason}</Fact>
        <Fact name="Exit status">{run.exit_status}</Fact>
        <Fact name="Kind">{run.kind}</Fact>
        <Fact name="Created">
          <Time of={run.created} />
        </Fact>
        <Fact name="Duration">
          <Duration of={run} />
        </Fact>
        <Fact name="Commit">{run.commit}</Fact>
      </Facts>
      {transform && <Transform facts={transform} />}
      <Named title="Hyperparameters" of={hyperparameters} />
      {Object.keys(metrics).length > 0 && (
        <>
          <h2>Metrics</h2>
          <Table
            label="Metrics"
            headings={["Metric", "Last", "Min", "Max", "Values"]}
            numbers={[1, 2, 3, 4]}
            rows={Object.entries(metrics).map((
              [name, { last, min, max, count }],
            ) => [name, ...[last, min, max, count].map(textOf)])}
          />
        </>
      )}
      {Object.keys(data).length > 0 && (
        <>
          <h2>Data</h2>
          <Table
            label="Data"
            headings={["Channel", "Files", "Size", "Hash", "By"]}
            numbers={[1, 2]}
            rows={Object.entries(data).map((
              [name, { files, bytes, hash, by }],
            ) => [name, files, bytesText(bytes), hash, by])}
          />
        </>
      )}
      <Named title="Channels" of={run.channels} />
      <Named title="Options" of={options} />
      <h2>Environment</h2>
      <Facts>
        <Fact name="Image">{run.image}</Fact>
        <Fact name="Image id">{run.image_id}</Fact>
        <Fact name="Container">{run.container}</Fact>
        <Fact name="Code">{run.code}</Fact>
        <Fact name="Python">{run.python}</Fact>
        <Fact name="mlcli">{run.mlcli}</Fact>
        <Fact name="Variables">{run.variables.join(", ")}</Fact>
        <Fact name="Model">{run.model}</Fact>
        <Fact name="Outputs">{run.outputs}</Fact>
        <Fact name="Source">{run.source}</Fact>
        <Fact name="Log">{run.log}</Fact>
      </Facts>
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

function Named(
  { title, of }: { readonly title: string; readonly of: Readonly<Record<string, string>> },
): JSX.Element | null {
  if (Object.keys(of).length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <Facts>
        {Object.entries(of).map(([name, value]) => <Fact key={name} name={name}>{value}</Fact>)}
      </Facts>
    </>
  );
}

function Curves({ run }: { readonly run: ListedRun }): JSX.Element | null {
  const curves = useCurves(usePage().source, [run])(run.name);
  if (Object.keys(curves).length === 0) return null;
  return (
    <>
      <h2>Curves</h2>
      <Charts runs={[{ name: run.name, colour: colourOf(0), curves }]} />
    </>
  );
}

function FileTable({ files: { entries, is_cut } }: { readonly files: Files }): JSX.Element {
  if (entries.length === 0) return <p>There are none.</p>;
  return (
    <>
      <Table
        label="Files"
        headings={["Name", "Kind", "Size"]}
        numbers={[2]}
        rows={entries.map((
          { path, kind, bytes },
        ) => [path, kind, kind === "file" ? bytesText(bytes) : null])}
      />
      {is_cut && <p>There are more than these.</p>}
    </>
  );
}
