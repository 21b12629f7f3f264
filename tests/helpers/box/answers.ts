/** How each service writes what it answers: JSON 1.1, the query protocol's XML, and S3's XML. */

import { xmlText } from "../xml.ts";
import type { AccessKey } from "./account.ts";
import { invocationRefusal, isInvocation } from "./endpoints/rest.ts";
import type { Refused, ServiceName } from "./service.ts";

/** An answer that is not what was asked for. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
}

const JSON_HEADERS = {
  "content-type": "application/x-amz-json-1.1",
  "x-amzn-requestid": "00000000-0000-0000-0000-000000000000",
};

/** An answer with something in it. */
export function jsonAnswer(value: unknown): Response {
  return new Response(JSON.stringify(value), { headers: JSON_HEADERS });
}

/** What a JSON service answers when there is nothing to say. */
export function emptyAnswer(): Response {
  return new Response(null, { headers: JSON_HEADERS });
}

/** An error as a JSON service sends it. */
export function errorAnswer({ code, message, status = 400 }: Refusal): Response {
  // IAM's denials have a capital letter there.
  const key = code === "AccessDeniedException" ? "Message" : "message";
  return new Response(JSON.stringify({ __type: code, [key]: message }), {
    status,
    headers: JSON_HEADERS,
  });
}

/** An error as STS sends it. */
export function stsError({ code, message, status = 400 }: Refusal): Response {
  return new Response(
    `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>` +
      `<Code>${code}</Code><Message>${xmlText(message)}</Message></Error>` +
      `<RequestId>1</RequestId></ErrorResponse>`,
    { status, headers: { "content-type": "text/xml" } },
  );
}

/** STS's answer to AssumeRole. The session ends at `expiration`. */
export function assumedRole(
  key: AccessKey,
  session: string,
  expiration = "2099-01-01T00:00:00Z",
): Response {
  return stsAnswer(
    "AssumeRole",
    `<AssumedRoleUser><AssumedRoleId>AROA:${session}</AssumedRoleId><Arn>${key.user}</Arn>` +
      `</AssumedRoleUser>${credentialsElement(key, expiration)}`,
  );
}

export function sessionToken(key: AccessKey, expiration: string): Response {
  return stsAnswer("GetSessionToken", credentialsElement(key, expiration));
}

function credentialsElement({ id, secret, token }: AccessKey, expiration: string): string {
  return `<Credentials><AccessKeyId>${id}</AccessKeyId>` +
    `<SecretAccessKey>${secret}</SecretAccessKey><SessionToken>${token}</SessionToken>` +
    `<Expiration>${expiration}</Expiration></Credentials>`;
}

function stsAnswer(operation: string, result: string): Response {
  return new Response(
    `<${operation}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">` +
      `<${operation}Result>${result}</${operation}Result>` +
      `<ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></${operation}Response>`,
    { headers: { "content-type": "text/xml" } },
  );
}

/** The refusal as the service sends it. S3 says nothing about it to a HEAD. */
export function refusalAnswer(
  service: ServiceName,
  method: string,
  path: string,
  refusal: Refused,
): Response {
  if (service === "sagemaker" && isInvocation(path)) return invocationRefusal(refusal);
  if (service === "sts") return stsError(refusal);
  if (service !== "s3") return errorAnswer(refusal);
  const { code, message, status, headers, elements } = refusal;
  const all = { "content-type": "application/xml", "x-amz-request-id": "BOX0", ...headers };
  if (method === "HEAD" || status === 304) return new Response(null, { status, headers: all });
  const more = Object.entries(elements).map(([name, text]) => xmlElement(name, text)).join("");
  return new Response(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${xmlElement("Code", code)}` +
      `${xmlElement("Message", message)}${more}<RequestId>BOX0</RequestId>` +
      `<HostId>box</HostId></Error>`,
    { status, headers: all },
  );
}

/** An element with text in it. */
export function xmlElement(name: string, text: string | number | boolean): string {
  return `<${name}>${xmlText(String(text))}</${name}>`;
}
