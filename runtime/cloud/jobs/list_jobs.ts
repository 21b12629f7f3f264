import { isRefusal } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { JobSummary, ListFilter } from "../../aws/sagemaker_jobs.ts";
import type { Setting } from "../../setting.ts";
import { JOB_KINDS, type JobKind } from "../../contract/jobs.ts";
import { checkNamePart } from "../../contract/names.ts";
import type { Messages } from "../../messages.ts";
import { type CloudChoice, type CloudHost, connectToAws } from "../connection.ts";
import { KIND_NAMES } from "./job.ts";

/** Settings of `mlcli list-jobs`, under the names of their options. */
export interface JobListing extends CloudChoice, ListFilter {
  /** Default: all kinds. */
  readonly kind: JobKind | undefined;
  /** Maximum number of jobs. */
  readonly limit: number;
}

export interface ListedJob extends JobSummary {
  readonly kind: JobKind;
}

export interface ListedJobs {
  readonly region: Setting<string>;
  /** Newest first; the next page is requested when it is read. */
  readonly pages: AsyncGenerator<readonly ListedJob[]>;
}

/**
 * Lists jobs. Requests no more pages than needed. If the permissions don't cover a kind, a note says so.
 *
 * @throws UsageError if no job's name could contain the filter's text.
 * @throws AwsError if SageMaker refuses.
 */
export async function listJobs(
  request: JobListing,
  host: CloudHost,
): Promise<ListedJobs> {
  const { kind, status, nameContains, limit } = request;
  if (nameContains !== undefined) checkNamePart(nameContains, "job");
  const sagemaker = await (await connectToAws(request, host)).sagemaker();
  const kinds = kind ? [kind] : JOB_KINDS;
  // The service filters by status after it has cut the pages: small ones would be empty.
  const size = status === undefined ? limit : undefined;
  const lists = kinds.map((one) => new KindOfJobs(sagemaker, one, request, size));
  return { region: sagemaker.region, pages: newestFirst(lists, limit, host.messages) };
}

/** The jobs of one kind, newest first; the next page is asked for when it is needed. */
class KindOfJobs {
  readonly kind: JobKind;
  readonly #pages: AsyncGenerator<readonly JobSummary[]>;
  #page: JobSummary[] = [];

  constructor(sagemaker: SageMaker, kind: JobKind, filter: ListFilter, size?: number) {
    this.kind = kind;
    this.#pages = sagemaker.listJobs(kind, filter, size);
  }

  /** Asks for a page where none is left, so that `next` is the newest job. */
  async fill(): Promise<void> {
    while (this.#page.length === 0) {
      const page = await this.#pages.next();
      if (page.done) return;
      // Not every emulator sorts.
      this.#page = page.value.toSorted((one, other) => +other.creationTime - +one.creationTime);
    }
  }

  get next(): JobSummary | undefined {
    return this.#page[0];
  }

  take(): ListedJob {
    return { ...this.#page.shift()!, kind: this.kind };
  }
}

async function* newestFirst(
  lists: readonly KindOfJobs[],
  limit: number,
  messages: Messages,
): AsyncGenerator<readonly ListedJob[]> {
  const first = await Promise.allSettled(lists.map((list) => list.fill()));
  const reasons = first.map((answer) => answer.status === "rejected" ? answer.reason : undefined);
  const refused = reasons.filter((reason) => reason !== undefined);
  const other = refused.find((error) => !isRefusal(error, "denied"));
  if (other || refused.length === lists.length) throw other ?? refused[0];
  const open = lists.filter((_, index) => first[index]!.status === "fulfilled");
  for (const [index, { kind }] of lists.entries()) {
    const reason = reasons[index];
    if (reason) {
      messages.note(`Cannot list ${KIND_NAMES[kind]}s: ${reason.message}. ${reason.hint}`);
    }
  }
  let page: ListedJob[] = [];
  for (let count = 1; count <= limit; count++) {
    const newest = newestOf(open);
    if (!newest) break;
    page.push(newest.take());
    if (newest.next || count === limit) continue;
    yield page;
    page = [];
    await newest.fill();
  }
  yield page;
}

function newestOf(lists: readonly KindOfJobs[]): KindOfJobs | undefined {
  let newest: KindOfJobs | undefined;
  for (const list of lists) {
    if (!list.next) continue;
    if (!newest || list.next.creationTime > newest.next!.creationTime) newest = list;
  }
  return newest;
}
