/**
 * Lists of models, endpoint configurations and endpoints: by pages, sorted, filtered.
 *
 * @module
 */

import type { BoxRequest } from "../service.ts";
import { Endpoint } from "./endpoint.ts";
import type { Resource } from "./resource.ts";

type Input = BoxRequest["input"];

const TOKEN = /^page-(\d+)$/;

/** A page: what stands in it, and where the next one begins. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly NextToken?: string;
}

/** A page of resources, as a List operation's input wants it; the newest is first. */
export function pageOf<T extends Resource>(all: Iterable<T>, input: Input): Page<T> {
  const { MaxResults = 10, NextToken } = input;
  const found = sorted([...all].filter((one) => isWanted(one, input)), input);
  const start = NextToken === undefined ? 0 : Number(TOKEN.exec(NextToken)?.[1]);
  const end = start + MaxResults;
  return {
    items: found.slice(start, end),
    ...(end < found.length ? { NextToken: `page-${end}` } : {}),
  };
}

/** A line of ListEndpoints. */
export function endpointSummary(endpoint: Endpoint): unknown {
  return {
    EndpointName: endpoint.name,
    EndpointArn: endpoint.arn,
    CreationTime: endpoint.creationTime,
    LastModifiedTime: endpoint.lastModified,
    EndpointStatus: endpoint.status,
  };
}

function isWanted(one: Resource, input: Input): boolean {
  const { NameContains = "", CreationTimeAfter = 0, CreationTimeBefore = Infinity } = input;
  const { LastModifiedTimeAfter = 0, LastModifiedTimeBefore = Infinity, StatusEquals } = input;
  const modified = one instanceof Endpoint ? one.lastModified : one.creationTime;
  return one.name.toLowerCase().includes(NameContains.toLowerCase()) &&
    one.creationTime >= CreationTimeAfter && one.creationTime <= CreationTimeBefore &&
    modified >= LastModifiedTimeAfter && modified <= LastModifiedTimeBefore &&
    (StatusEquals === undefined || one instanceof Endpoint && one.status === StatusEquals);
}

function sorted<T extends Resource>(
  all: readonly T[],
  { SortBy = "CreationTime", SortOrder = "Descending" }: Input,
): T[] {
  const value = (one: T): string | number =>
    SortBy === "Name"
      ? one.name
      : SortBy === "Status" && one instanceof Endpoint
      ? one.status
      : one.creationTime;
  const sign = SortOrder === "Descending" ? -1 : 1;
  return [...all].sort((one, other) => {
    const [first, second] = [value(one), value(other)];
    return sign * (first < second ? -1 : first > second ? 1 : 0);
  });
}
