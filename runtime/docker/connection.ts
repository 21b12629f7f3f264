/** What a kind of connection to the engine has to offer: sockets, TCP and named pipes do. */

/** A request as `fetch` takes it, over the connection to an engine. */
export type EngineFetch = (url: string, request: {
  readonly method: string;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | string | undefined;
  readonly signal: AbortSignal | undefined;
}) => Promise<Response>;

/** Sends requests to one engine. */
export interface EngineClient {
  readonly fetch: EngineFetch;
  close(): void;
}

/** Bytes both ways. */
export type Connection = Pick<Deno.Conn, "read" | "write" | "closeWrite" | "close">;
