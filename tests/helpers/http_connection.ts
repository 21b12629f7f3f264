/** HTTP connections on which a test controls headers, framing and reuse, which `fetch` hides. */

/** What the server answered. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** How long (ms) an answer may take: a server that never answers fails the test. */
const TIMEOUT = 30_000;

/** A connection that stays open until it is disposed of. */
export class HttpConnection implements Disposable {
  #received = "";

  private constructor(private readonly connection: Deno.Conn) {}

  static async open(port: string, hostname = "127.0.0.1"): Promise<HttpConnection> {
    return new HttpConnection(await Deno.connect({ hostname, port: Number(port) }));
  }

  /** Sends the request, lines joined by CRLF, and reads one answer, framed by Content-Length. */
  async exchange(...lines: readonly string[]): Promise<RawResponse> {
    await this.send(lines.join("\r\n"));
    return await this.receive();
  }

  async send(text: string): Promise<void> {
    const writer = this.connection.writable.getWriter();
    try {
      await writer.write(new TextEncoder().encode(text));
    } finally {
      writer.releaseLock();
    }
  }

  async receive(): Promise<RawResponse> {
    const head = await this.#readUntil((text) => text.indexOf("\r\n\r\n") + 4, "\r\n\r\n");
    const [statusLine, ...fields] = head.trimEnd().split("\r\n");
    const headers = new Headers(
      fields.map((field) => field.split(/:\s*/, 2) as [string, string]),
    );
    const length = Number(headers.get("Content-Length"));
    const body = await this.#readUntil(() => length);
    return { status: Number(statusLine!.split(" ")[1]), headers, body };
  }

  /** Reads headers, for answers without a length. Returns the first line. */
  async readHead(): Promise<string> {
    const head = await this.#readUntil((text) => text.indexOf("\r\n\r\n") + 4, "\r\n\r\n");
    return head.slice(0, head.indexOf("\r\n"));
  }

  /** What has been read, and is not taken yet. */
  get received(): string {
    return this.#received;
  }

  /** Takes as many characters as `length` says, once the mark has arrived. The tests send ASCII. */
  async #readUntil(length: (received: string) => number, mark = ""): Promise<string> {
    const deadline = setTimeout(() => this.connection.close(), TIMEOUT);
    try {
      const buffer = new Uint8Array(65536);
      while (!this.#received.includes(mark) || this.#received.length < length(this.#received)) {
        const count = await this.connection.read(buffer);
        if (count === null) throw new Error(`The server closed after ${this.#received}`);
        this.#received += new TextDecoder().decode(buffer.subarray(0, count));
      }
      const taken = this.#received.slice(0, length(this.#received));
      this.#received = this.#received.slice(taken.length);
      return taken;
    } finally {
      clearTimeout(deadline);
    }
  }

  [Symbol.dispose](): void {
    this.connection.close();
  }
}
