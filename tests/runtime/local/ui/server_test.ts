import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { findApp } from "../../../../runtime/app/app.ts";
import type { ContainerSummary, Engine } from "../../../../runtime/docker/engine.ts";
import { MlcliError } from "../../../../runtime/errors.ts";
import { eventStream } from "../../../../runtime/local/ui/events.ts";
import { type PageServer, servePage } from "../../../../runtime/local/ui/server.ts";
import { ANSWER_HEADERS, type Event, TOKEN_HEADER } from "../../../../runtime/page/api.ts";
import { completeApp, type TestApp } from "../../../helpers/app.ts";
import { fakeContainers, listedServer } from "../../../helpers/fake_containers.ts";
import { clientOf } from "../../../helpers/fake_engine.ts";
import { inTime } from "../../../helpers/in_time.ts";
import { rawServer } from "../../../helpers/raw_server.ts";
import { it, suite } from "../../../helpers/suite.ts";

const DOCUMENT = "<!DOCTYPE html><p>the page";

/** The page of an app, and what asks it. */
interface Stage extends AsyncDisposable {
  readonly app: TestApp;
  readonly server: PageServer;
  /** Asks with the token, unless other headers are given. */
  get(path: string, init?: RequestInit): Promise<Response>;
  json(path: string): Promise<Record<string, unknown>>;
  /** Puts files of a run. */
  put(run: string, files: Readonly<Record<string, string>>): Promise<void>;
  end(): void;
}

async function open(
  connect: () => Promise<Engine> = () => Promise.reject(new MlcliError("No engine")),
): Promise<Stage> {
  const app = await completeApp();
  const end = new AbortController();
  const server = servePage({
    app: await findApp(app.directory, app.name),
    port: 0,
    allowedHosts: ["box.example"],
    document: DOCUMENT,
    connect,
    signal: end.signal,
  });
  const get = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(`http://127.0.0.1:${server.port}${path}`, {
      headers: { [TOKEN_HEADER]: server.token },
      redirect: "manual",
      ...init,
    });
  return {
    app,
    server,
    get,
    json: async (path) => await (await get(path)).json(),
    put: async (run, files) => {
      for (const [name, content] of Object.entries(files)) {
        await app.write(app.path("local_test/jobs", run, name), content);
      }
    },
    end: () => end.abort(),
    async [Symbol.asyncDispose]() {
      end.abort();
      await server.finished;
      await app[Symbol.asyncDispose]();
    },
  };
}

const RECORD = {
  "job.json": JSON.stringify({
    kind: "train",
    started: "2026-03-01T09:30:00.000Z",
    ended: "2026-03-01T09:31:00.000Z",
    outcome: { status: "Completed", exit_status: 0, reason: null },
  }),
};

/** The events of a stream, one after the other. */
function eventsOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncIterator<Event> & AsyncDisposable {
  const lines = (async function* () {
    let text = "";
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        yield JSON.parse(text.slice(0, end)) as Event;
        text = text.slice(end + 1);
      }
    }
  })();
  return lines as AsyncIterator<Event> & AsyncDisposable;
}

async function nextOf<K extends Event["kind"]>(
  events: AsyncIterator<Event>,
  kind: K,
): Promise<Event & { readonly kind: K }> {
  while (true) {
    const { value, done } = await inTime(events.next());
    if (done) throw new Error("There are no more events");
    if (value.kind === kind) return value as Event & { readonly kind: K };
  }
}

/** Those that say all that there is; which of them comes first is open. */
async function firstTwo(events: AsyncIterator<Event>): Promise<void> {
  const next = async () => (await inTime(events.next())).value.kind;
  const kinds = [await next(), await next()];
  assertEquals(kinds.sort(), ["runs", "servers"]);
}

suite("the page's server", () => {
  it("gives the page to everybody on this machine, and the API to those with the token", async () => {
    await using stage = await open();
    const { get, server } = stage;
    const right = { [TOKEN_HEADER]: server.token };
    const cases: readonly (readonly [string, string, Record<string, string>, number])[] = [
      ["GET", "/", {}, 200],
      ["HEAD", "/", {}, 200],
      ["POST", "/", {}, 404],
      ["GET", "/", { Origin: "http://evil.example" }, 403],
      ["GET", "/", { Origin: "https://box.example" }, 200],
      ["GET", "/index.html", right, 404],
      ["GET", "/api", right, 404],
      ["GET", "/api/", right, 404],
      ["GET", "/api/other", right, 404],
      ["GET", "/api/app", right, 200],
      ["POST", "/api/app", right, 404],
      ["OPTIONS", "/api/app", right, 404],
      ["DELETE", "/api/runs/a", right, 404],
      ["GET", "/api/servers/8080/invocations", right, 404],
      ["GET", "/api/app", {}, 403],
      ["GET", "/api/app", { [TOKEN_HEADER]: server.token.slice(1) }, 403],
      ["GET", "/api/app", { Cookie: `${TOKEN_HEADER}=${server.token}` }, 403],
      ["GET", `/api/app?token=${server.token}`, {}, 403],
      ["GET", "/api/app", { ...right, Origin: "http://evil.example" }, 403],
      ["GET", "/api/app", { ...right, Origin: "null" }, 403],
      ["GET", "/api/runs/none", right, 404],
      ["GET", "/api/runs/..%2f..", right, 404],
      ["GET", "/api/runs/%ff", right, 404],
      ["GET", "/api/runs/none/log?from=-1", right, 400],
      ["GET", "/api/comparison?a=last&b=1", right, 404],
    ];
    for (const [method, path, headers, status] of cases) {
      const answer = await get(path, { method, headers });
      const text = await answer.text();
      assertEquals(answer.status, status, `${method} ${path} ${JSON.stringify(headers)}: ${text}`);
      for (
        const [name, value] of [
          ["X-Content-Type-Options", "nosniff"],
          ["Referrer-Policy", "no-referrer"],
          ["Cross-Origin-Resource-Policy", "same-origin"],
          ["Cross-Origin-Opener-Policy", "same-origin"],
          ["Access-Control-Allow-Origin", null],
        ] as const
      ) assertEquals(answer.headers.get(name), value, `${path}: ${name}`);
      assertMatch(answer.headers.get("Cache-Control")!, /^no-store\b/);
      assertStringIncludes(
        answer.headers.get("Content-Security-Policy")!,
        "frame-ancestors 'none'",
      );
      if (status !== 200) assertEquals(Object.keys(JSON.parse(text)), ["error", "hint"]);
      else if (path === "/" && method === "GET") assertEquals(text, DOCUMENT);
    }
  });

  it("refuses a name that leads to this machine, which fetch cannot send", async () => {
    await using stage = await open();
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: stage.server.port });
    const head = `GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(head));
    const text = await new Response(connection.readable).text();
    assertMatch(text, /^HTTP\/1\.1 403 /);
    assertStringIncludes(text, "To allow it: mlcli local ui --allow-host evil.example");
  });

  it("listens on 127.0.0.1 alone, and says where a port is taken", async () => {
    await using stage = await open();
    const { port } = stage.server;
    // Another address of this machine.
    const connected = await Deno.connect({ hostname: "127.0.0.2", port }).then(
      (connection) => connection.close() ?? true,
      () => false,
    );
    assertEquals(connected, false);
    const app = await findApp(stage.app.directory, stage.app.name);
    const connect = () => Promise.reject(new Error());
    const { signal } = new AbortController();
    try {
      servePage({ app, port, allowedHosts: [], document: "", connect, signal });
    } catch (error) {
      return assertEquals((error as Error).message, `Port already in use: ${port}`);
    }
    throw new Error("It listens");
  });

  it("reads a run's record, curves, log and files", async () => {
    await using stage = await open();
    const { json, put } = stage;
    const line = "2026-03-01T09:30:01.000Z,loss,0.5\n";
    await put("a", { ...RECORD, "metrics.csv": `time,metric,value\n${line}`, log: "out ä\nerr b" });
    await put("b", { ...RECORD, "config/x": "12" });
    const run = await json("/api/runs/a");
    assertEquals([run["name"], run["status"], run["log"] !== null], ["a", "Completed", true]);
    const curves = await json("/api/runs/a/curves?from=0");
    assertEquals(curves, { next: 52, curves: { loss: { time: [1000], value: [0.5] } } });
    assertEquals(await json("/api/runs/a/curves?from=52"), { next: 52, curves: {} });
    assertEquals(await json("/api/runs/b/curves"), { next: 0, curves: {} });
    assertEquals(await json("/api/runs/a/log"), { from: 0, next: 12, text: "out ä\nerr b" });
    assertEquals(await json("/api/runs/a/log?from=7"), { from: 7, next: 12, text: "err b" });
    assertEquals(await json("/api/runs/b/log"), { from: 0, next: 0, text: "" });
    const { entries, is_cut } = await json("/api/runs/b/files");
    const kinds = (entries as { path: string; kind: string }[]).map((one) => [one.path, one.kind]);
    assertEquals([kinds, is_cut], [
      [["config", "directory"], ["config/x", "file"], ["job.json", "file"]],
      false,
    ]);
    const { differences, code } = await json("/api/comparison?a=a&b=b");
    assertEquals([differences, code], [[], []]);
  });

  it("cuts a long log at lines and letters, and lists 1,000 files at most", async () => {
    await using stage = await open();
    const { json, put } = stage;
    const most = 256 * 1024;
    const lines = `out ${"ä".repeat(50)}\n`.repeat(5_000);
    const bytes = new TextEncoder().encode(lines);
    await put("a", { ...RECORD, log: lines });
    const end = await json("/api/runs/a/log");
    assertEquals(end["text"], lines.slice(-String(end["text"]).length));
    assert(String(end["text"]).startsWith("out ") && Number(end["from"]) > bytes.length - most);
    let text = "";
    for (let from = 0; from < bytes.length;) {
      const part = await json(`/api/runs/a/log?from=${from}`);
      assertEquals(part["from"], from);
      assert(Number(part["next"]) > from && Number(part["next"]) - from <= most);
      from = Number(part["next"]);
      text += part["text"];
    }
    assertEquals(text === lines, true);
    await put("b", { ...RECORD, log: `out 1${"✓".repeat(most)}` });
    const one = await json("/api/runs/b/log?from=0");
    assertEquals(String(one["text"]), `out 1${"✓".repeat(Math.floor((most - 5) / 3))}`);
    const names = Array.from({ length: 1_001 }, (_, at) => [`many/${at}`, ""]);
    await put("c", { ...RECORD, ...Object.fromEntries(names) });
    const files = await json("/api/runs/c/files");
    assertEquals([(files["entries"] as unknown[]).length, files["is_cut"]], [1_000, true]);
  });

  it("reads no more of a run's values than mlcli writes", async () => {
    await using stage = await open();
    await stage.put("a", { ...RECORD, "metrics.csv": "" });
    await Deno.truncate(stage.app.path("local_test/jobs/a/metrics.csv"), 2 ** 40);
    assertEquals(await inTime(stage.json("/api/runs/a/curves")), { next: 0, curves: {} });
    await using events = eventsOf((await stage.get("/api/events")).body!);
    assertEquals((await nextOf(events, "runs")).runs[0]!.curve_bytes, 2 ** 25);
  });

  it("follows no link, and reads nothing but files", async () => {
    await using stage = await open();
    const { app, get, json, put } = stage;
    await put("../../../secret", { "job.json": RECORD["job.json"], log: "out secret\n" });
    const jobs = (...parts: readonly string[]) => app.path("local_test/jobs", ...parts);
    await put("a", RECORD);
    const secret = app.path("secret");
    await Deno.symlink(`${secret}/log`, jobs("a", "log"));
    await Deno.symlink(`${secret}/log`, jobs("a", "metrics.csv"));
    await Deno.symlink(secret, jobs("a", "all"));
    await Deno.symlink(secret, jobs("linked"));
    await Deno.mkdir(jobs("record"));
    await Deno.symlink(`${secret}/job.json`, jobs("record", "job.json"));
    assertEquals(await json("/api/runs/a/log"), { from: 0, next: 0, text: "" });
    assertEquals(await json("/api/runs/a/curves"), { next: 0, curves: {} });
    const { entries } = await json("/api/runs/a/files");
    assertEquals(
      (entries as { path: string; kind: string }[]).map(({ path, kind }) => [path, kind]),
      [
        ["all", "link"],
        ["job.json", "file"],
        ["log", "link"],
        ["metrics.csv", "link"],
      ],
    );
    for (const path of ["linked", "linked/log", "linked/files", "record"]) {
      const answer = await get(`/api/runs/${path}`);
      assertEquals([answer.status, (await answer.text()).includes("secret")], [404, false], path);
    }
    await Deno.rename(jobs(), app.path("moved"));
    await Deno.symlink("/etc", jobs());
    const answer = await get("/api/runs/a");
    assertEquals(answer.status, 502);
    assertMatch((await answer.json()).error, /points outside/);
  });

  it("a run that goes while it is read is gone, and no more", async () => {
    await using stage = await open();
    await stage.put("a", { ...RECORD, log: "out 1\n" });
    assertEquals((await stage.json("/api/runs/a/log"))["text"], "out 1\n");
    await Deno.remove(stage.app.path("local_test/jobs/a"), { recursive: true });
    for (const what of ["", "/log", "/curves", "/files"]) {
      const answer = await stage.get(`/api/runs/a${what}`);
      assertEquals([answer.status, await answer.json()], [404, {
        error: 'Run "a" does not exist',
        hint: "List the last 100 runs: mlcli local list-jobs",
      }]);
    }
  });
});

suite("the page's events", () => {
  it("say what is there, then what is new, and what is gone", async () => {
    await using stage = await open();
    await stage.put("a", RECORD);
    await stage.put("b", { ...RECORD, log: "out 1\n" });
    const { body } = await stage.get("/api/events");
    await using events = eventsOf(body!);
    const first = await nextOf(events, "runs");
    assertEquals(
      first.runs.map(({ name, status, log_bytes }) => [name, status, log_bytes]).sort(),
      [["a", "Completed", 0], ["b", "Completed", 6]],
    );
    // While nobody reads, it all comes in one.
    await stage.put("b", { log: "out 1\nout 2\n" });
    await stage.put("c", RECORD);
    await Deno.remove(stage.app.path("local_test/jobs/a"), { recursive: true });
    const second = await nextOf(events, "runs");
    assertEquals(second.runs.map(({ name, log_bytes }) => [name, log_bytes]).sort(), [
      ["b", 12],
      ["c", 0],
    ]);
    assertEquals(second.gone, ["a"]);
    stage.end();
    await events.next().then(({ done }) => assertEquals(done, true), () => {});
  });

  it("survive records that lead out of the repository, and say so", async () => {
    await using stage = await open();
    const { app, get, put } = stage;
    await put("a", RECORD);
    const jobs = app.path("local_test/jobs");
    await using events = eventsOf((await get("/api/events")).body!);
    assertEquals((await nextOf(events, "runs")).runs.map(({ name }) => name), ["a"]);
    await Deno.rename(jobs, `${jobs}-kept`);
    await Deno.symlink("/etc", jobs);
    assertMatch((await nextOf(events, "runs")).problem ?? "", /jobs/);
    await Deno.remove(jobs);
    await Deno.rename(`${jobs}-kept`, jobs);
    assertEquals(await nextOf(events, "runs"), { kind: "runs", runs: [], gone: [], problem: null });
  });

  it("survive an engine that is away, and show what it has when it is back", async () => {
    await using model = rawServer(() => {});
    const container = serverOn(Number(model.port));
    await using engine = await fakeContainers({ containers: [container] });
    let attempts = 0;
    const connect = (): Promise<Engine> =>
      ++attempts === 1
        ? Promise.reject(new MlcliError("No engine", { hint: "Start it." }))
        : clientOf(engine);
    await using stage = await open(connect);
    const { body } = await stage.get("/api/events");
    await using events = eventsOf(body!);
    assertEquals(await nextOf(events, "servers"), {
      kind: "servers",
      servers: [],
      problem: "No engine. Start it.",
    });
    const { servers: [server], problem } = await nextOf(events, "servers");
    assertEquals([server?.port, server?.mlcli, problem], [Number(model.port), "1.2.3", null]);
    assertEquals([server?.model_run, server?.from_page, server?.from_watch], ["run-1", null, null]);
  });

  it("are looked for only while somebody listens: afterwards, no timer is left", async () => {
    await using app = await completeApp();
    const layout = (await findApp(app.directory, app.name)).paths;
    const seen = { kind: "servers", servers: [], problem: null } as const;
    const look = () => Promise.resolve(seen);
    const stream = eventStream(layout, { look }, new AbortController().signal);
    const events = eventsOf(stream as ReadableStream<Uint8Array<ArrayBuffer>>);
    await firstTwo(events);
    await events[Symbol.asyncDispose]();
  });
});

/** A server, the run of whose model is known. */
function serverOn(port: number): ContainerSummary {
  return listedServer(port, {}, { "mlcli.version": "1.2.3", "mlcli.model": "run-1" });
}

suite("a request to a server", () => {
  it("gets its answer with any status, and is counted", async () => {
    const waiting = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    await using model = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        if (request.url.endsWith("/ping")) return new Response();
        const text = await request.text();
        if (text === "wait") {
          request.signal.addEventListener("abort", () => aborted.resolve());
          waiting.resolve();
          await aborted.promise;
        }
        const type = request.headers.get("Content-Type");
        const accept = request.headers.get("Accept");
        return new Response(`<script>${text} ${type} ${accept}`, {
          status: text === "bad" ? 500 : 200,
          headers: { "Content-Type": "text/html" },
        });
      },
    );
    const { port } = model.addr;
    await using engine = await fakeContainers({ containers: [serverOn(port)] });
    await using stage = await open(() => clientOf(engine));
    const ask = (body: BodyInit, to: number = port, signal: AbortSignal | undefined = undefined) =>
      stage.get(`/api/servers/${to}/invocations`, {
        method: "POST",
        body,
        signal,
        headers: {
          [TOKEN_HEADER]: stage.server.token,
          "Content-Type": "text/csv",
          Accept: "application/json",
        },
      });
    for (const [text, status] of [["1,2", "200"], ["bad", "500"]] as const) {
      const answer = await ask(text);
      assertEquals(await answer.text(), `<script>${text} text/csv application/json`);
      assertEquals([
        answer.status,
        answer.headers.get("Content-Type"),
        answer.headers.get(ANSWER_HEADERS.status),
        answer.headers.get(ANSWER_HEADERS.contentType),
      ], [200, "application/octet-stream", status, "text/html"]);
      assert(Number(answer.headers.get(ANSWER_HEADERS.milliseconds)) > 0);
    }
    const large = await ask(new Uint8Array(26_214_401));
    assertEquals([large.status, (await large.json()).hint], [413, null]);
    const none = await ask("1", port === 1 ? 2 : 1);
    assertEquals([none.status, (await none.json()).error], [502, "Container not found on port 1"]);
    // A client that goes away ends it.
    const client = new AbortController();
    const gone = ask("wait", port, client.signal).then(() => false, () => true);
    await inTime(waiting.promise);
    client.abort();
    assertEquals(await gone, true);
    await inTime(aborted.promise);
    const { body } = await stage.get("/api/events");
    await using events = eventsOf(body!);
    const { servers: [server] } = await nextOf(events, "servers");
    assertEquals([server!.from_page!.requests, server!.from_page!.failed], [2, 1]);
    assert(server!.from_page!.p99 > 0);
  });

  it("gets all pieces of a response, and an error for more than 25 MB", async () => {
    await using model = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        const count = Number(await request.text());
        const pieces = Array.from({ length: count }, (_, n) => new Uint8Array(1_000_000).fill(n));
        return new Response(ReadableStream.from(pieces));
      },
    );
    const { port } = model.addr;
    await using engine = await fakeContainers({ containers: [serverOn(port)] });
    await using stage = await open(() => clientOf(engine));
    const ask = (body: string) =>
      stage.get(`/api/servers/${port}/invocations`, {
        method: "POST",
        body,
        headers: { [TOKEN_HEADER]: stage.server.token },
      });
    const whole = new Uint8Array(await (await ask("3")).arrayBuffer());
    assertEquals([whole.length, whole[0], whole[1_000_000], whole.at(-1)], [3_000_000, 0, 1, 2]);
    const large = await ask("27");
    assertEquals([large.status, await large.json()], [502, {
      error: `The response from the server on port ${port} is larger than 25 MB`,
      hint: `Get it without a size limit: mlcli local invoke --port ${port} FILE`,
    }]);
  });

  it("without an answer fails in the words of invoke", async () => {
    await using model = rawServer(() => {});
    await using engine = await fakeContainers({
      containers: [serverOn(Number(model.port))],
    });
    await using stage = await open(() => clientOf(engine));
    const answer = await stage.get(`/api/servers/${model.port}/invocations`, {
      method: "POST",
      body: "1",
      headers: { [TOKEN_HEADER]: stage.server.token },
    });
    assertEquals([answer.status, await answer.json()], [502, {
      error: `The server on port ${model.port} does not respond: it closed the connection`,
      hint: `See its log: mlcli local logs --port ${model.port}`,
    }]);
  });
});
