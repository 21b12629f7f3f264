/**
 * Amazon SageMaker Runtime: what the models of endpoints are asked by.
 *
 * @module
 */

import { type Asked, modelError, streamError } from "./model_errors.ts";
import {
  InvokeEndpointCommand,
  InvokeEndpointWithResponseStreamCommand,
  SageMakerRuntimeClient,
} from "./sdk/sagemaker_runtime.ts";
import type { AwsSession } from "./session.ts";
import { onAbort } from "../time.ts";
import type { Setting } from "./settings.ts";
import { repeatOnlyTheUnheard, thrown } from "./unheard.ts";

/** A request to the model of an endpoint. */
export interface ModelRequest extends Asked {
  readonly body: Uint8Array;
  readonly contentType: string;
  readonly accept: string | undefined;
  /** The other members of the request, by SageMaker's names: `TargetVariant`, ... */
  readonly fields: Readonly<Record<string, string>>;
}

/** An answer, and what came with it. Of sessions, a stream says nothing. */
export interface ModelAnswer {
  /** `X-Amzn-SageMaker-Custom-Attributes` */
  readonly customAttributes: string | undefined;
  /** Of a stateful session that began with the request: its id, and until when it is there. */
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
  /** The region that is asked, and who named it. */
  readonly region: Setting;
  /** Returns when the whole answer is there. */
  invoke(request: ModelRequest): Promise<ModelAnswer>;
  /** Returns when the answer begins. Its body comes as the model sends it, and throws the same. */
  stream(request: ModelRequest): Promise<ModelAnswer>;
}

/**
 * Makes a client; nothing is sent yet.
 * @throws AwsError when no region is named.
 */
export async function openRuntime(session: AwsSession): Promise<SageMakerRuntime> {
  const configuration = await session.clientConfiguration("SAGEMAKER_RUNTIME");
  const client = new SageMakerRuntimeClient(configuration);
  repeatOnlyTheUnheard(client);
  const region = await session.regionOf(client);
  const { abortSignal } = session.requestOptions;
  /** Asks, and explains what goes wrong. */
  const ask = <Answer>(action: string, asked: Asked, question: () => Promise<Answer>) =>
    session.send(action, `endpoint ${asked.endpoint}`, region, async () => {
      try {
        return await question();
      } catch (error) {
        throw modelError(thrown(error), asked);
      }
    });
  return {
    region,
    async invoke(request) {
      const options = { abortSignal, requestTimeout: request.seconds * 1000 };
      const { Body, CustomAttributes, NewSessionId, ClosedSessionId } = await ask(
        "sagemaker:InvokeEndpoint",
        request,
        () => client.send(new InvokeEndpointCommand(inputOf(request)), options),
      );
      return {
        body: of(Body),
        customAttributes: CustomAttributes,
        newSession: NewSessionId,
        closedSession: ClosedSessionId,
      };
    },
    async stream(request) {
      const action = "sagemaker:InvokeEndpointWithResponseStream";
      const command = new InvokeEndpointWithResponseStreamCommand(inputOf(request));
      const ended = new AbortController();
      const end = onAbort(abortSignal, () => ended.abort(abortSignal.reason));
      const options = { abortSignal: ended.signal, requestTimeout: request.seconds * 1000 };
      const { Body, CustomAttributes } = await ask(
        action,
        request,
        () => client.send(command, options),
      )
        .catch((error) => {
          ended.abort();
          end[Symbol.dispose]();
          throw error;
        });
      async function* body(): AsyncGenerator<Uint8Array, void, void> {
        try {
          for await (const { PayloadPart } of Body ?? []) {
            if (PayloadPart?.Bytes) yield PayloadPart.Bytes;
          }
        } catch (error) {
          await ask(action, request, () => Promise.reject(streamError(error, request)));
        } finally {
          // Who reads no further has no use for what the model still says.
          ended.abort();
          end[Symbol.dispose]();
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

/** (Of an answer without a byte, the SDK makes an object that is none of its bytes.) */
async function* of(body: unknown): AsyncGenerator<Uint8Array, void, void> {
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
