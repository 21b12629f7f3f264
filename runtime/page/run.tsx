/** A run: all that its record says, its curves, files and log. */

import type { JSX } from "preact";
import type { ListedRun, WholeRun } from "./api.ts";
import { Charts } from "./charts.tsx";
import { Log } from "./log.tsx";
import { Duration, Facts, Status, Table, Time, useLoaded, usePage } from "./parts.tsx";
import { byteCount } from "../quantities.ts";
import { Transform } from "./transform.tsx";

interface RunProps {
  readonly name: string;
  /** What the list says of it, which is newer than what was loaded. */
  readonly listed: ListedRun | undefined;
}

export function RunView({ name, listed }: RunProps): JSX.Element {
  const { source } = usePage();
  const [whole, sentence] = useLoaded(() => source.run(name), [listed?.status]);
  const [files, noFiles] = useLoaded(() => source.files(name), [listed?.status]);
  if (!listed) return <p>This run no longer exists</p>;
  if (!whole) return sentence!;
  const run = { ...whole, ...listed };
  return (
    <>
      {run.reason && <p class={run.status === "Failed" ? "failed" : undefined}>{run.reason}</p>}
      <Facts
        of={{
          Status: <Status of={run.status} />,
          "Exit code": run.exit_status,
          Kind: run.kind,
          Created: <Time of={run.created} />,
          Duration: <Duration of={run} />,
          Commit: run.commit,
        }}
      />
      {run.transform && <Transform facts={run.transform} />}
      <Table
        label="Hosts"
        isTitled
        headings={["Host", "Exit code", "Seconds", "Peak memory", "Stopped by"]}
        rows={run.hosts.map(({ name, exit_status, seconds, peak_memory, ended_by }) => {
          return [name, exit_status, seconds, peak_memory && byteCount(peak_memory), ended_by];
        })}
      />
      {listed.curve_bytes > 0 && (
        <>
          <h2>Curves</h2>
          <Charts runs={[listed]} />
        </>
      )}
      <h2>Log</h2>
      <Log name={name} size={listed.log_bytes} />
      <Record run={run} />
      <h2>Files</h2>
      {noFiles}
      {files?.entries.length === 0 && <p>No files</p>}
      <Table
        label="Files"
        headings={["Name", "Kind", "Size"]}
        rows={(files?.entries ?? []).map(({ path, kind, bytes }) => {
          return [path, kind, kind === "file" ? byteCount(bytes) : null];
        })}
      />
      {files?.is_cut && <p>Only the first files are listed</p>}
    </>
  );
}

function Record({ run }: Readonly<{ run: WholeRun }>): JSX.Element {
  const { packages } = run;
  return (
    <>
      <Facts title="Hyperparameters" of={run.hyperparameters} />
      <Table
        label="Metrics"
        isTitled
        headings={["Metric", "Last", "Min", "Max", "Values"]}
        rows={Object.entries(run.metrics).map(([name, { last, min, max, count }]) => {
          return [name, last, min, max, count];
        })}
      />
      <Table
        label="Data"
        isTitled
        headings={["Channel", "Files", "Size", "Hash", "Hash of"]}
        rows={Object.entries(run.data).map(([name, { files, bytes, hash, by }]) => {
          return [name, files, byteCount(bytes), hash, by];
        })}
      />
      <Facts title="Channels" of={run.channels} />
      <Facts title="Options" of={run.options} />
      <Facts
        title="Environment"
        of={{
          Image: run.image,
          "Image ID": run.image_id,
          Container: run.container,
          Code: run.code,
          Python: run.python,
          mlcli: run.mlcli,
          Model: run.model,
          Outputs: run.outputs,
          Source: run.source,
          Log: run.log,
          Variables: run.variables.join(", "),
        }}
      />
      {packages && (
        <details>
          <summary>{Object.keys(packages).length} packages</summary>
          <Facts of={packages} />
        </details>
      )}
    </>
  );
}
