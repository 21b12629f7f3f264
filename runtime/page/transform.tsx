/** What a transform did: counts, latency, its slowest requests, and the records that failed. */

import type { JSX } from "preact";
import { isObject } from "../text.ts";
import { textOf } from "./text.ts";
import { Fact, Facts, RunLink, Table } from "./parts.tsx";

type Fields = Readonly<Record<string, unknown>>;

/** @param facts of the run's record, whose fields runtime/local/transform/results.ts has. */
export function Transform({ facts }: { readonly facts: Fields }): JSX.Element {
  const latency = isObject(facts["latency_ms"]) ? facts["latency_ms"] : {};
  const [slowest, failed] = [listOf(facts["slowest"]), listOf(facts["failed"])];
  const run = facts["model_run"];
  return (
    <section>
      <h2>Transform</h2>
      <Facts>
        {typeof run === "string" && (
          <Fact name="Model of">
            <RunLink name={run} />
          </Fact>
        )}
        {COUNTS.map(([name, key]) => <Fact key={key} name={name}>{textOf(facts[key])}</Fact>)}
        {["p50", "p95", "p99"].map((part) => (
          <Fact key={part} name={`Answers, ${part}`}>{textOf(latency[part])} ms</Fact>
        ))}
      </Facts>
      {slowest.length > 0 && (
        <>
          <h3>Slowest requests</h3>
          <Table
            label="Slowest requests"
            headings={["File", "First record", "Records", "ms"]}
            numbers={[1, 2, 3]}
            rows={slowest.map((of) =>
              [of["file"], of["first"], of["records"], of["ms"]].map(textOf)
            )}
          />
        </>
      )}
      {failed.length > 0 && (
        <>
          <h3>Failed records</h3>
          <Table
            label="Failed records"
            headings={["File", "From record", "To", "HTTP status", "Reason"]}
            numbers={[1, 2, 3]}
            rows={failed.map((of) =>
              [of["file"], of["first"], of["last"], of["status"], of["reason"]].map(textOf)
            )}
          />
        </>
      )}
    </section>
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

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
