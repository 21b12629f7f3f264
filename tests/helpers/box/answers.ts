/**
 * How each service writes a refusal.
 *
 * @module
 */

import { errorAnswer, stsError } from "../aws_answers.ts";
import { xmlText } from "../xml.ts";
import { invocationRefusal, isInvocation } from "./endpoints/rest.ts";
import type { Refused, ServiceName } from "./service.ts";

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
