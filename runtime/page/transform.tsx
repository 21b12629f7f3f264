/** What a transform did: counts, latency, its slowest requests, and the records that failed. */

import type { JSX } from "preact";
import { isObject } from "../text.ts";
import { Fact, RunLink, Table } from "./parts.tsx";
import { textOf } from "./text.ts";

type Fields = Readonly<Record<string, unknown>>;

/** @param facts of the run's record, whose fields runtime/local/transform/results.ts has. */
export function Transform({ facts }: Readonly<{ facts: Fields }>): JSX.Element {
  const latency = isObject(facts["latency_ms"]) ? facts["latency_ms"] : {};
  const run = facts["model_run"];
  return (
    <>
      <h2>Transform</h2>
      <dl>
        {typeof run === "string" && <Fact name="Model of" value={<RunLink name={run} />} />}
        {COUNTS.map(([name, key]) => <Fact key={key} name={name} value={textOf(facts[key])} />)}
        {["p50", "p95", "p99"].map((part) => (
          <Fact key={part} name={`Answers, ${part}, ms`} value={textOf(latency[part])} />
        ))}
      </dl>
      {LISTS.map(({ title, key, headings, fields }) => {
        const list = facts[key];
        const requests = Array.isArray(list) ? list.filter(isObject) : [];
        const rows = requests.map((request) => fields.map((field) => textOf(request[field])));
        return rows.length > 0 && (
          <section key={key}>
            <h3>{title}</h3>
            <Table label={title} headings={headings} numbers={[1, 4]} rows={rows} />
          </section>
        );
      })}
    </>
  );
}

const COUNTS = [
  ["Files", "files"],
  ["Files without a result", "failed_files"],
  ["Records", "records"],
  ["Records a second", "records_per_second"],
  ["Requests", "requests"],
  ["Sent again", "retries"],
] as const;

const LISTS = [
  {
    title: "Slowest requests",
    key: "slowest",
    headings: ["File", "First record", "Records", "ms"],
    fields: ["file", "first", "records", "ms"],
  },
  {
    title: "Failed records",
    key: "failed",
    headings: ["File", "From record", "To", "HTTP status", "Reason"],
    fields: ["file", "first", "last", "status", "reason"],
  },
] as const;
