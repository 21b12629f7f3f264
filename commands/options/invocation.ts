/** The options of commands that send a request to a model. */

import {
  fieldOfHeader,
  headerOf,
  INVOCATION_HEADERS,
  type InvocationField,
  type InvocationFields,
  isHeaderValue,
  type RequestHeader,
  valuesOf,
} from "../../runtime/contract/invocations.ts";
import { UsageError } from "../../runtime/errors.ts";
import { withoutBlanks } from "../../runtime/text.ts";
import { options, type Parser, type Values } from "./option.ts";
import { matching, parseMediaType } from "./parsers.ts";

export const requestFile = options({ "[file]": { path: "typed" } });

export const mediaTypes = options({
  "--content-type TYPE": {
    description: "Content type of the request (default: from the file name or the input)",
    parse: parseMediaType,
  },
  "--accept TYPE": {
    description: "Content type of the response, such as application/json (default: any)",
    parse: parseMediaType,
  },
});

export type InvocationOptions =
  & Values<typeof requestFile>
  & Pick<Values<typeof mediaTypes>, "contentType">;

/** A header, as a member of InvokeEndpoint's request. */
interface InvocationHeader {
  readonly field: InvocationField;
  readonly value: string;
}

/** `NAME=VALUE`, or `NAME: VALUE` as HTTP writes it. */
export function parseInvocationHeader(text: string, source: string): InvocationHeader {
  const [, name, rest] = /^([\w-]+)\s*[:=]([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined) {
    throw new UsageError(
      `${source} must be NAME=VALUE or NAME: VALUE, but got ${JSON.stringify(text)}`,
      { hint: `Use one of these as NAME: ${INVOCATION_HEADERS.join(", ")}` },
    );
  }
  const field = fieldOfHeader(name);
  if (field === undefined) {
    const lower = name.toLowerCase();
    throw new UsageError(`${source}: SageMaker does not forward header "${name}"`, {
      hint: OWN_OPTIONS.includes(lower)
        ? `Use --${lower}`
        : `Use one of these headers: ${INVOCATION_HEADERS.join(", ")}. Put other data for ` +
          "the model into Custom-Attributes.",
    });
  }
  const value = rest!.trim();
  if (isHeaderValue(field, value)) return { field, value };
  throw new UsageError(
    `${source}: ${JSON.stringify(value)} is not a valid value for ${headerOf(field)}`,
    { hint: valuesOf(field) },
  );
}

/** Headers that have an option of their own. */
const OWN_OPTIONS: readonly string[] = ["content-type", "accept"];

/**
 * `NAME=VALUE`, or `NAME: VALUE`, for a local server: any header of HTTP. Those that SageMaker passes
 * on have to be as it takes them.
 */
export function parseRequestHeader(text: string, source: string): RequestHeader {
  const [, name, rest] = /^([^:=]*?)[ \t]*[:=]([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined) {
    throw new UsageError(
      `${source} must be NAME=VALUE or NAME: VALUE, but got ${JSON.stringify(text)}`,
    );
  }
  // RFC 9110, 5.6.2: `token`.
  if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(name)) {
    throw new UsageError(`${source}: ${JSON.stringify(name)} is not a valid header name`, {
      hint: `Use only letters, digits and hyphens in the name, as in ${INVOCATION_HEADERS[0]}`,
    });
  }
  const lower = name.toLowerCase();
  if (OWN_OPTIONS.includes(lower)) {
    throw new UsageError(`${source} cannot set ${name}`, { hint: `Use --${lower}` });
  }
  if (OF_CONNECTION.includes(lower)) {
    throw new UsageError(`${source} cannot set ${name}: mlcli sets it`, {
      hint: "Remove this header",
    });
  }
  const field = fieldOfHeader(name);
  const sent = field === undefined ? name : headerOf(field);
  const value = withoutBlanks(rest!);
  const isValue = field === undefined ? LINE.test(value) : isHeaderValue(field, value);
  if (!isValue) {
    throw new UsageError(`${source}: ${JSON.stringify(value)} is not a valid value for ${sent}`, {
      hint: valuesOf(field),
    });
  }
  return { name: sent, value, field };
}

/** The value of any header: ASCII in one line. */
const LINE = /^[\t -~]+$/;

/** RFC 9110, 7.6.1 and 10.1.1, and RFC 9112, 6: headers of the connection and of the body's frame. */
const OF_CONNECTION: readonly string[] = [
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** @throws UsageError for a header that is given twice. */
export function requestHeaders(headers: readonly RequestHeader[]): readonly RequestHeader[] {
  const names = new Set<string>();
  for (const { name } of headers) {
    const key = name.toLowerCase();
    if (names.has(key)) throw new UsageError(`Header ${name} was given more than once`);
    names.add(key);
  }
  return headers;
}

export const parseVariant: Parser<string> = matching(
  (text) => isHeaderValue("TargetVariant", text),
  "a variant name (up to 63 letters, digits and hyphens)",
);

/**
 * The members of SageMaker's request that the headers and the variant become.
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
      throw new UsageError(`Header ${headerOf(field)} was given more than once`);
    }
    fields[field] = value;
  }
  return fields;
}
