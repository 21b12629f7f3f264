/**
 * What the options of a request to an endpoint take.
 *
 * @module
 */

import {
  fieldOfHeader,
  headerOf,
  INVOCATION_HEADERS,
  type InvocationField,
  type InvocationFields,
  isHeaderValue,
} from "../../runtime/contract/invocation_headers.ts";
import { UsageError } from "../../runtime/errors.ts";

/** A header of a request, as the member that SageMaker has for it. */
export interface InvocationHeader {
  readonly field: InvocationField;
  readonly value: string;
}

/** `NAME=VALUE`, or `NAME: VALUE` as HTTP writes it. */
export function parseInvocationHeader(text: string, source: string): InvocationHeader {
  const [, name, rest] = /^([\w-]+)\s*[:=]([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined) {
    throw new UsageError(
      `${source} must be NAME=VALUE or NAME: VALUE, but got ${JSON.stringify(text)}.`,
      {
        hint: `The names: ${INVOCATION_HEADERS.join(", ")}.`,
      },
    );
  }
  const field = fieldOfHeader(name);
  if (field === undefined) {
    throw new UsageError(`${source}: SageMaker passes no header ${name} on.`, {
      hint: `${ELSEWHERE[name.toLowerCase()] ?? "What it knows"}: ` +
        `${INVOCATION_HEADERS.join(", ")}; each also with X-Amzn-SageMaker- before it. ` +
        "What is for the model alone goes into Custom-Attributes.",
    });
  }
  const value = rest!.trim();
  if (isHeaderValue(field, value)) return { field, value };
  throw new UsageError(
    `${source}: ${JSON.stringify(value)} is no value for ${headerOf(field)}.`,
  );
}

/** Options of their own. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "content-type": "--content-type gives that one. What it knows",
  "accept": "--accept gives that one. What it knows",
};

/** The name of a variant. */
export function parseVariant(text: string, source: string): string {
  if (isHeaderValue("TargetVariant", text)) return text;
  throw new UsageError(
    `${source} must be a variant's name (up to 63 letters, digits and hyphens), ` +
      `but got "${text}".`,
  );
}

/**
 * What a request has of headers.
 * @throws UsageError for one that is given twice.
 */
export function invocationFields(
  { variant, header }: {
    readonly variant: string | undefined;
    readonly header: readonly InvocationHeader[];
  },
): InvocationFields {
  const all: readonly InvocationHeader[] = variant === undefined
    ? header
    : [...header, { field: "TargetVariant", value: variant }];
  const fields: Partial<Record<InvocationField, string>> = {};
  for (const { field, value } of all) {
    if (fields[field] !== undefined) {
      throw new UsageError(`${headerOf(field)} is given more than once.`);
    }
    fields[field] = value;
  }
  return fields;
}
