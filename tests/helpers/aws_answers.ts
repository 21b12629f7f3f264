/**
 * What Amazon SageMaker and STS answer, as they write it: JSON 1.1, and the query protocol's XML.
 *
 * @module
 */

import type { AccessKey } from "./fake_aws.ts";
import { xmlText } from "./xml.ts";

export const REGION = "eu-west-1";
export const ACCOUNT = "123456789012";

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

/** An error as SageMaker sends it. */
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

/** The code that SageMaker has for most refusals. */
export function invalid(message: string): Response {
  return errorAnswer({ code: "ValidationException", message });
}

/** The words for what is not there. */
export function couldNotFind(what: string, where: string): Response {
  return invalid(`Could not find ${what} "${where}".`);
}

/** ARN of an endpoint or, as far as messages go, of its configuration. */
export function arn(name: string): string {
  return `arn:aws:sagemaker:${REGION}:${ACCOUNT}:endpoint/${name}`;
}

/** What SageMaker answers when there is nothing to say. */
export function emptyAnswer(): Response {
  return new Response(null, { headers: JSON_HEADERS });
}

/** STS's answer to GetCallerIdentity. */
export function callerIdentity(user: string): Response {
  return new Response(
    `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">` +
      `<GetCallerIdentityResult><Arn>${user}</Arn><UserId>AIDA</UserId>` +
      `<Account>${ACCOUNT}</Account></GetCallerIdentityResult><ResponseMetadata>` +
      `<RequestId>1</RequestId></ResponseMetadata></GetCallerIdentityResponse>`,
    { headers: { "content-type": "text/xml" } },
  );
}

/** STS's answer to AssumeRole. The session ends at `expiration`. */
export function assumedRole(
  key: AccessKey,
  session: string,
  expiration = "2099-01-01T00:00:00Z",
): Response {
  return new Response(
    `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult>` +
      `<AssumedRoleUser><AssumedRoleId>AROA:${session}</AssumedRoleId><Arn>${key.user}</Arn>` +
      `</AssumedRoleUser><Credentials><AccessKeyId>${key.id}</AccessKeyId>` +
      `<SecretAccessKey>${key.secret}</SecretAccessKey>` +
      `<SessionToken>${key.token}</SessionToken><Expiration>${expiration}</Expiration>` +
      `</Credentials></AssumeRoleResult><ResponseMetadata><RequestId>1</RequestId>` +
      `</ResponseMetadata></AssumeRoleResponse>`,
    { headers: { "content-type": "text/xml" } },
  );
}
