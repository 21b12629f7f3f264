/**
 * Amazon SageMaker and SageMaker Runtime, which sign alike: jobs, endpoints, invocations, and the
 * tags of all.
 */

import { jsonAnswer } from "./answers.ts";
import type { Invocations } from "./endpoints/invocations.ts";
import type { EndpointOperations } from "./endpoints/operations.ts";
import type { JobOperations } from "./jobs/operations.ts";
import { type BoxRequest, type Permission, Refused, type Service, Unexpected } from "./service.ts";
import {
  checkInput,
  integer,
  pageToken,
  required,
  type Structure,
  structure,
  tags,
  text,
} from "./validation.ts";

/** What has tags. */
export interface Tagged {
  readonly arn: string;
  readonly tags: Map<string, string>;
}

const resourceArn = required(
  text({ max: 256, pattern: /arn:aws[a-z-]*:sagemaker:[a-z0-9-]*:[0-9]{12}:.+/ }),
);

const TAG_RULES: Readonly<Record<string, Structure>> = {
  AddTags: structure({ ResourceArn: resourceArn, Tags: required(tags) }),
  ListTags: structure({ ResourceArn: resourceArn, NextToken: pageToken, MaxResults: integer(50) }),
};

/** How many tags a resource may have. */
const MOST_TAGS = 50;
const TOKEN = /^tags-(\d+)$/;

/** SageMaker. */
export class SageMaker implements Service, AsyncDisposable {
  /** Tags in an answer of ListTags at most; small, so that a test sees pages. */
  tagsInPage = MOST_TAGS;

  constructor(
    readonly jobs: JobOperations,
    readonly endpoints: EndpointOperations,
    readonly invocations: Invocations,
  ) {}

  permission(request: BoxRequest): Permission {
    const { operation, input } = request;
    if (TAG_RULES[operation]) {
      const resource = typeof input.ResourceArn === "string" ? input.ResourceArn : "*";
      return { action: `sagemaker:${operation}`, resource };
    }
    if (this.invocations.has(operation)) return this.invocations.permission(request);
    return (this.endpoints.has(operation) ? this.endpoints : this.jobs).permission(request);
  }

  async handle(request: BoxRequest): Promise<Response> {
    const { operation, input } = request;
    if (this.jobs.has(operation)) return await this.jobs.handle(request);
    if (this.endpoints.has(operation)) return this.endpoints.handle(request);
    if (this.invocations.has(operation)) return await this.invocations.handle(request);
    const rule = TAG_RULES[operation];
    if (!rule) throw new Unexpected(`Not expected: sagemaker:${operation}`);
    checkInput(rule, input);
    return operation === "AddTags" ? this.#addTags(input) : this.#listTags(input);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([
      this.jobs[Symbol.asyncDispose](),
      this.endpoints[Symbol.asyncDispose](),
    ]);
  }

  #addTags(input: BoxRequest["input"]): Response {
    const { tags } = this.#byArn(input);
    const added = new Map<string, string>(tags);
    for (const { Key, Value } of input.Tags) added.set(Key, Value);
    if (added.size > MOST_TAGS) {
      throw new Refused("ResourceLimitExceeded", `A resource may have at most ${MOST_TAGS} tags.`);
    }
    for (const [name, value] of added) tags.set(name, value);
    return jsonAnswer({ Tags: tagList([...tags]) });
  }

  #listTags(input: BoxRequest["input"]): Response {
    const all = [...this.#byArn(input).tags];
    const start = input.NextToken === undefined ? 0 : Number(TOKEN.exec(input.NextToken)?.[1]);
    const end = start + Math.min(input.MaxResults ?? MOST_TAGS, this.tagsInPage);
    return jsonAnswer({
      Tags: tagList(all.slice(start, end)),
      ...(end < all.length ? { NextToken: `tags-${end}` } : {}),
    });
  }

  #byArn({ ResourceArn }: BoxRequest["input"]): Tagged {
    const all: readonly Tagged[] = [...this.jobs.store.all, ...this.endpoints.store.all];
    const resource = all.find(({ arn }) => arn === ResourceArn);
    if (resource) return resource;
    throw new Refused("ValidationException", `Could not find resource "${ResourceArn}".`);
  }
}

function tagList(tags: readonly (readonly [string, string])[]): unknown {
  return tags.map(([Key, Value]) => ({ Key, Value }));
}
