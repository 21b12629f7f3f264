import { type Job, type JobKind, KIND_WORDS } from "./job.ts";

// deno-lint-ignore no-explicit-any
type Input = Readonly<Record<string, any>>;

/** Sorts after: `page-20`. */
const TOKEN = /^page-(\d+)$/;

/** A page of the jobs of a kind. */
export function listJobs(kind: JobKind, jobs: readonly Job[], input: Input): unknown {
  const { MaxResults = 10, NextToken, StatusEquals, NameContains = "" } = input;
  const wanted = jobs.filter((job) =>
    job.kind === kind && job.name.toLowerCase().includes(NameContains.toLowerCase())
  );
  // Trainings are filtered by their status after the page was cut, as AWS's reference says of
  // StatusEquals with MaxResults: a page may be empty and yet not the last.
  const isLate = kind === "training" && input.MaxResults !== undefined;
  const hasStatus = ({ status }: Job): boolean => !StatusEquals || status === StatusEquals;
  // What the reference says of SortOrder: by default the oldest is first, of transforms the newest.
  const { SortOrder = kind === "transform" ? "Descending" : "Ascending" } = input;
  const sign = SortOrder === "Descending" ? -1 : 1;
  const found = wanted.filter((job) => isLate || hasStatus(job))
    .sort((one, other) => sign * (one.creationTime - other.creationTime));
  const start = NextToken === undefined ? 0 : Number(TOKEN.exec(NextToken)?.[1]);
  const end = start + MaxResults;
  const { word } = KIND_WORDS[kind];
  return {
    [`${word}JobSummaries`]: found.slice(start, end).filter(hasStatus).map(summary),
    ...(end < found.length ? { NextToken: `page-${end}` } : {}),
  };
}

function summary(job: Job): unknown {
  const { word } = KIND_WORDS[job.kind];
  return {
    [`${word}JobName`]: job.name,
    [`${word}JobArn`]: job.arn,
    CreationTime: job.creationTime,
    [`${word}EndTime`]: job.endTime,
    LastModifiedTime: job.lastModified,
    [`${word}JobStatus`]: job.status,
    ...(job.kind === "training"
      ? { SecondaryStatus: job.secondary }
      : { FailureReason: job.failureReason, ExitMessage: job.exitMessage }),
  };
}
