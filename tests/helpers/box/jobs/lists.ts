import { type Job, type JobKind, KIND_WORDS } from "./job.ts";

// deno-lint-ignore no-explicit-any
type Input = Readonly<Record<string, any>>;

/** Sorts after: `page-20`. */
const TOKEN = /^page-(\d+)$/;

/** A page of the jobs of a kind. */
export function listJobs(kind: JobKind, jobs: readonly Job[], input: Input): unknown {
  const { MaxResults = 10, NextToken, StatusEquals } = input;
  const wanted = jobs.filter((job) => job.kind === kind && isWanted(job, input));
  // Trainings are filtered by their status after the page was cut, as AWS's reference says of
  // StatusEquals with MaxResults: a page may be empty and yet not the last.
  const isLate = kind === "training" && input.MaxResults !== undefined;
  const hasStatus = ({ status }: Job): boolean => !StatusEquals || status === StatusEquals;
  const found = sorted(wanted.filter((job) => isLate || hasStatus(job)), input);
  const start = NextToken === undefined ? 0 : Number(TOKEN.exec(NextToken)?.[1]);
  const end = start + MaxResults;
  const { word } = KIND_WORDS[kind];
  return {
    [`${word}JobSummaries`]: found.slice(start, end).filter(hasStatus).map(summary),
    ...(end < found.length ? { NextToken: `page-${end}` } : {}),
  };
}

function isWanted(job: Job, input: Input): boolean {
  const { NameContains = "", CreationTimeAfter = 0, CreationTimeBefore = Infinity } = input;
  const { LastModifiedTimeAfter = 0, LastModifiedTimeBefore = Infinity } = input;
  return job.name.toLowerCase().includes(NameContains.toLowerCase()) &&
    job.creationTime >= CreationTimeAfter && job.creationTime <= CreationTimeBefore &&
    job.lastModified >= LastModifiedTimeAfter && job.lastModified <= LastModifiedTimeBefore;
}

/** By default the oldest is first: what the reference says of SortOrder. */
function sorted(jobs: readonly Job[], { SortBy = "CreationTime", SortOrder }: Input): Job[] {
  const value = (job: Job): string | number =>
    SortBy === "Name" ? job.name : SortBy === "Status" ? job.status : job.creationTime;
  const sign = SortOrder === "Descending" ? -1 : 1;
  return [...jobs].sort((one, other) => {
    const [first, second] = [value(one), value(other)];
    return sign * (first < second ? -1 : first > second ? 1 : 0);
  });
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
