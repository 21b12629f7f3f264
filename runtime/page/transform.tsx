/** What a transform did: counts, latency, its slowest requests, and the records that failed. */

import type { JSX } from "preact";
import { isObject } from "../text.ts";
import { Facts, RunLink, Table } from "./parts.tsx";
import { textOf } from "./text.ts";

type Fields = Readonly<Record<string, unknown>>;

/** @param facts of the run's record, whose fields runtime/local/transform/results.ts has. */
export function Transform({ facts }: Readonly<{ facts: Fields }>): JSX.Element {
  const latency = isObject(facts["latency_ms"]) ? facts["latency_ms"] : {};
  const run = facts["model_run"];
  return (
    <>
      <Facts
        title="Batch transform"
        of={{
          "Model from run": typeof run === "string" ? <RunLink name={run} /> : null,
          Files: textOf(facts["files"]),
          "Files without a result": textOf(facts["failed_files"]),
          Records: textOf(facts["records"]),
          "Records per second": textOf(facts["records_per_second"]),
          Requests: textOf(facts["requests"]),
          Retries: textOf(facts["retries"]),
          "Response time p50 (ms)": textOf(latency["p50"]),
          "Response time p95 (ms)": textOf(latency["p95"]),
          "Response time p99 (ms)": textOf(latency["p99"]),
        }}
      />
      <Table
        label="Slowest requests"
        isTitled
        headings={["File", "First record", "Records", "Time (ms)"]}
        rows={rowsOf(facts["slowest"], ["file", "first", "records", "ms"])}
      />
      <Table
        label="Failed records"
        isTitled
        headings={["File", "First record", "Last record", "HTTP status", "Reason"]}
        rows={rowsOf(facts["failed"], ["file", "first", "last", "status", "reason"])}
      />
    </>
  );
}

function rowsOf(list: unknown, fields: readonly string[]): (string | number)[][] {
  const requests = Array.isArray(list) ? list.filter(isObject) : [];
  return requests.map((request) =>
    fields.map((field) => {
      const value = request[field];
      return typeof value === "number" ? value : textOf(value);
    })
  );
}
