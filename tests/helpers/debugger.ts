/**
 * A client of the Debug Adapter Protocol, as editors have one: messages of JSON behind a header.
 *
 * https://microsoft.github.io/debug-adapter-protocol/overview
 */

interface Message {
  readonly type: "request" | "response" | "event";
  readonly event?: string;
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly message?: string;
  // deno-lint-ignore no-explicit-any -- bodies differ by command
  readonly body?: any;
}

export class Debugger implements Disposable {
  #sent = 0;
  #pending = new Uint8Array();
  readonly #came: Message[] = [];

  private constructor(private readonly connection: Deno.Conn) {}

  /** Connects to a debugger that listens on a port of this machine. */
  static async connect(port: number): Promise<Debugger> {
    return new Debugger(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** Sends a request without waiting for its response. Returns its number. */
  async send(command: string, args: unknown = {}): Promise<number> {
    const seq = ++this.#sent;
    const body = JSON.stringify({ seq, type: "request", command, arguments: args });
    const bytes = new TextEncoder().encode(body);
    const header = new TextEncoder().encode(`Content-Length: ${bytes.length}\r\n\r\n`);
    for (const part of [header, bytes]) {
      for (let sent = 0; sent < part.length;) {
        sent += await this.connection.write(part.subarray(sent));
      }
    }
    return seq;
  }

  /** Sends a request and returns the body of its response. Throws if the debugger refuses it. */
  // deno-lint-ignore no-explicit-any -- bodies differ by command
  async ask(command: string, args: unknown = {}): Promise<any> {
    const seq = await this.send(command, args);
    const { success, message, body } = await this.#next(({ request_seq }) => request_seq === seq);
    if (!success) throw new Error(`The debugger refused ${command}: ${message}`);
    return body;
  }

  /** Waits for an event and returns its body. */
  // deno-lint-ignore no-explicit-any -- bodies differ by event
  async event(name: string): Promise<any> {
    return (await this.#next(({ event }) => event === name)).body;
  }

  async #next(isWanted: (message: Message) => boolean): Promise<Message> {
    while (true) {
      const index = this.#came.findIndex(isWanted);
      if (index !== -1) return this.#came.splice(index, 1)[0]!;
      this.#came.push(await this.#read());
    }
  }

  async #read(): Promise<Message> {
    while (true) {
      const text = new TextDecoder("latin1").decode(this.#pending);
      const [header, length] = /^.*?Content-Length: (\d+)\r\n.*?\r\n/s.exec(text) ?? [];
      const end = header === undefined ? Infinity : header.length + Number(length);
      if (this.#pending.length >= end) {
        const body = this.#pending.slice(header!.length, end);
        this.#pending = this.#pending.slice(end);
        return JSON.parse(new TextDecoder().decode(body));
      }
      const bytes = new Uint8Array(65_536);
      const count = await this.connection.read(bytes);
      if (count === null) throw new Error("The debugger closed the connection");
      const joined = new Uint8Array(this.#pending.length + count);
      joined.set(this.#pending);
      joined.set(bytes.subarray(0, count), this.#pending.length);
      this.#pending = joined;
    }
  }

  [Symbol.dispose](): void {
    this.connection.close();
  }
}
