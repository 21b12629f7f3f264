import {
  InvokeEndpointCommand,
  InvokeEndpointWithResponseStreamCommand,
  SageMakerRuntimeClient,
} from "@aws-sdk/client-sagemaker-runtime";
import { onAbort } from "../time.ts";
import { type Invocation, modelError, streamError } from "./model_errors.ts";
import { neverCarryOutTwice, originalError } from "./retries.ts";
import type { AskOptions, AwsSession } from "./session.ts";
import type { Setting } from "../setting.ts";

export interface ModelRequest extends Invocation {
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly accept: string | undefined;
  /** The other members of the request, by SageMaker's names: `TargetVariant`, ... */
  readonly fields: Readonly<Record<string, string>>;
}

/** An answer, and what came with it. (A stream has nothing about sessions.) */
export interface ModelAnswer {
  /** `X-Amzn-SageMaker-Custom-Attributes` */
  readonly customAttributes: string | undefined;
  /** Of a stateful session that began with the request: its id, and when it expires. */
  readonly newSession: string | undefined;
  /** Id of the session that ended with the request. */
  readonly closedSession: string | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * What mlcli asks. Each throws an `AwsError` (`ModelRefusal` where it is the model's own), or
 * `Interrupted`.
 */
export interface SageMakerRuntime {
  readonly region: Setting<string>;
  /** Returns when the whole answer is there. */
  invoke(request: ModelRequest): Promise<ModelAnswer>;
  /** Returns when the answer begins. Its body comes as the model sends it, and throws the same. */
  stream(request: ModelRequest): Promise<ModelAnswer>;
}

export async function openRuntime(session: AwsSession): Promise<SageMakerRuntime> {
  const configuration = await session.clientConfiguration("SAGEMAKER_RUNTIME");
  const client = new SageMakerRuntimeClient(configuration);
  neverCarryOutTwice(client);
  const { ask, explain, region, signal } = await session.service(client, "sagemaker");
  const optionsOf = (request: ModelRequest, abortSignal: AbortSignal): AskOptions => ({
    abortSignal,
    requestTimeout: request.seconds * 1000,
    onError: (error) => modelError(originalError(error), request),
  });
  return {
    region,
    async invoke(request) {
      const command = new InvokeEndpointCommand(inputOf(request));
      const options = optionsOf(request, signal);
      const answer = await ask(command, `endpoint ${request.endpoint}`, [], options);
      return {
        body: bytesOf(answer.Body),
        customAttributes: answer.CustomAttributes,
        newSession: answer.NewSessionId,
        closedSession: answer.ClosedSessionId,
      };
    },
    async stream(request) {
      const command = new InvokeEndpointWithResponseStreamCommand(inputOf(request));
      const subject = `endpoint ${request.endpoint}`;
      const ended = new AbortController();
      const onInterrupted = onAbort(signal, () => ended.abort(signal.reason));
      const end = (): void => {
        ended.abort();
        onInterrupted[Symbol.dispose]();
      };
      const options = optionsOf(request, ended.signal);
      const { Body, CustomAttributes } = await ask(command, subject, [], options)
        .catch((error) => {
          end();
          throw error;
        });
      async function* body(): AsyncGenerator<Uint8Array, void, void> {
        try {
          for await (const { PayloadPart } of Body ?? []) {
            if (PayloadPart?.Bytes) yield PayloadPart.Bytes;
          }
        } catch (error) {
          throw explain(streamError(error, request), command, subject);
        } finally {
          // Also ends the request where the answer is not read to its end.
          end();
        }
      }
      return {
        body: body(),
        customAttributes: CustomAttributes,
        newSession: undefined,
        closedSession: undefined,
      };
    },
  };
}

/** The bytes of an answer. (For an empty one, the SDK has another object.) */
async function* bytesOf(body: unknown): AsyncGenerator<Uint8Array, void, void> {
  if (body instanceof Uint8Array) yield body;
}

function inputOf({ endpoint, body, contentType, accept, fields }: ModelRequest) {
  return {
    EndpointName: endpoint,
    Body: body,
    ContentType: contentType,
    Accept: accept,
    ...fields,
  };
}
