import { assertEquals, assertMatch } from "@std/assert";
import {
  diagnosis,
  type PingAnswer,
  SILENT,
  StuckWatch,
} from "../../../runtime/serving/diagnosis.ts";
import type { ListeningSocket } from "../../../runtime/serving/sockets.ts";
import { it, suite } from "../../helpers/suite.ts";

const on = (port: number, address = "127.0.0.1"): ListeningSocket => ({ address, port });
const NONE: PingAnswer = { failure: "it closed the connection" };

interface Row {
  readonly title: string;
  readonly answer: PingAnswer;
  readonly sockets?: readonly ListeningSocket[];
  /** Message and hint; `undefined`: no diagnosis. */
  readonly expected: RegExp | undefined;
}

const ROWS: readonly Row[] = [
  {
    title: "FastAPI by uvicorn (https://github.com/fastapi/fastapi/issues/655)",
    answer: NONE,
    sockets: [on(8000)],
    expected:
      /^it listens on 127\.0\.0\.1:8000 in the container, but must listen on 0\.0\.0\.0:8080 \/\/ Make the server listen on 0\.0\.0\.0, port 8080\. uvicorn .*--host 0\.0\.0\.0 --port 8080/,
  },
  {
    title: "flask run (https://github.com/archivy/archivy/pull/8)",
    answer: { failure: "Connection reset by peer (os error 104)" },
    sockets: [on(5000)],
    expected: /^it listens on 127\.0\.0\.1:5000 .* \/\/ .*flask run: --host 0\.0\.0\.0 --port 8080/,
  },
  {
    title: "gunicorn without nginx (https://github.com/aws/sagemaker-python-sdk/issues/4115)",
    answer: NONE,
    sockets: [on(8000)],
    expected: /gunicorn: --bind 0\.0\.0\.0:8080/,
  },
  {
    title: "uvicorn on 127.0.0.1 (https://github.com/Kludex/uvicorn/issues/736)",
    answer: NONE,
    sockets: [on(8080)],
    expected: /^it listens on 127\.0\.0\.1:8080 in the container, but must listen on/,
  },
  {
    title: "another port on all addresses",
    answer: NONE,
    sockets: [on(8081, "::"), on(8081, "::")],
    expected: /^it listens on \[::\]:8081 in the container, but must listen on/,
  },
  {
    title: "many ports",
    answer: NONE,
    sockets: [on(1), on(2), on(3), on(4)],
    expected: /on 127\.0\.0\.1:1, 127\.0\.0\.1:2, 127\.0\.0\.1:3 and 1 more in the container/,
  },
  {
    title: "TLS on port 8080",
    answer: { failure: "the response is not HTTP" },
    sockets: [on(8080, "0.0.0.0")],
    expected: /^it closes connections to port 8080 without a response \/\/ .* without TLS/,
  },
  {
    title: "uvicorn --host ::, which does not accept IPv4",
    answer: NONE,
    sockets: [on(8080, "::")],
    expected: /^it closes connections to port 8080 .* over IPv4/,
  },
  {
    title: "an image without cat",
    answer: NONE,
    expected:
      /^it does not respond on port 8080, and its open ports are unknown \/\/ Make the server listen on/,
  },
  {
    title: "a server that has not opened a port yet",
    answer: NONE,
    sockets: [],
    expected: /^it does not listen on any port yet \/\/ undefined$/,
  },
  { title: "a model that is loading", answer: { failure: SILENT }, expected: undefined },
  { title: "nginx before gunicorn is ready", answer: { status: 502 }, expected: undefined },
  { title: "a server that says it is loading", answer: { status: 503 }, expected: undefined },
  {
    // https://github.com/thumbor/thumbor/issues/218, https://github.com/cactus/go-camo/pull/27
    title: "a health check without content",
    answer: { status: 204 },
    expected: /^GET \/ping returns 204, not 200 \/\/ Return status 200 from \/ping/,
  },
  {
    title: "a status that is neither a redirect nor known",
    answer: { status: 422 },
    expected: /returns 422, not 200 \/\/ Return 200 from \/ping$/,
  },
  {
    title: "FastAPI's and Flask's redirect from /ping to /ping/ " +
      "(https://github.com/datarobot/datarobot-user-models/pull/883)",
    answer: { status: 307 },
    expected: /returns 307, not 200 \/\/ .* without a slash at the end/,
  },
  {
    title: "Django's ALLOWED_HOSTS (https://github.com/galexrt/container-healthchecks/issues/31)",
    answer: { status: 400 },
    expected: /returns 400, not 200 \/\/ Accept any Host header \(Django: ALLOWED_HOSTS,/,
  },
  {
    title: "a ping function that fails (https://github.com/aws/sagemaker-python-sdk/issues/1554)",
    answer: { status: 400 },
    expected: /and return 200 from \/ping$/,
  },
  { title: "a login", answer: { status: 401 }, expected: /returns 401, .*without a login/ },
  {
    // https://github.com/SeldonIO/MLServer/pull/310
    title: "MLServer without /ping",
    answer: { status: 404 },
    expected:
      /returns 404, not 200 \/\/ Add a route GET \/ping that returns 200: @app\.get\("\/ping"\)/,
  },
  {
    title: "a /ping for POST",
    answer: { status: 405 },
    expected: /returns 405, .* accept GET: @app/,
  },
];

suite("diagnosis", () => {
  for (const { title, answer, sockets, expected } of ROWS) {
    it(
      expected === undefined ? `diagnosis says nothing of ${title}` : `diagnosis explains ${title}`,
      () => {
        const found = diagnosis(answer, sockets);
        if (expected === undefined) assertEquals(found, undefined);
        else assertMatch(`${found?.words} // ${found?.hint}`, expected);
      },
    );
  }
});

suite("StuckWatch", () => {
  const watched = async (
    answers: readonly (readonly [second: number, answer: PingAnswer])[],
    find = (answer: PingAnswer) => Promise.resolve(diagnosis(answer, [on(5000)])),
  ) => {
    const told: string[] = [];
    let looks = 0;
    const watch = new StuckWatch((answer) => (looks++, find(answer)), (words) => told.push(words));
    for (const [second, answer] of answers) await watch.see(answer, second * 1000);
    return { looks, told: told.length };
  };
  const refused: PingAnswer = { failure: "Connection refused (os error 111)" };

  it("StuckWatch tells the reason once, after ten seconds of one kind of answer", async () => {
    assertEquals(await watched([[0, NONE], [9.9, NONE]]), { looks: 0, told: 0 });
    const answers = [[0, NONE], [5, refused], [10, NONE], [20, NONE], [40, NONE]] as const;
    assertEquals(await watched(answers), { looks: 1, told: 1 });
  });

  it("StuckWatch restarts its ten seconds when the answer changes", async () => {
    const answers = [[0, NONE], [9, { status: 404 }], [18, { status: 404 }], [19, NONE]] as const;
    assertEquals(await watched(answers), { looks: 0, told: 0 });
  });

  it("StuckWatch looks again every ten seconds until it finds a reason, even if a look fails", async () => {
    const answers = [0, 10, 11, 20, 29, 30].map((second) => [second, NONE] as const);
    const nothing = (answer: PingAnswer) => Promise.resolve(diagnosis(answer, []));
    assertEquals(await watched(answers, nothing), { looks: 3, told: 0 });
    const fails = () => Promise.reject(new Error("the engine went away"));
    assertEquals(await watched(answers, fails), { looks: 3, told: 0 });
  });

  it("StuckWatch tells nothing if the answer changes while it looks", async () => {
    const look = Promise.withResolvers<ReturnType<typeof diagnosis>>();
    const told: string[] = [];
    const watch = new StuckWatch(() => look.promise, (words) => told.push(words));
    await watch.see(NONE, 0);
    const looking = watch.see(NONE, 10_000);
    await watch.see({ status: 503 }, 10_500);
    look.resolve(diagnosis(NONE, [on(5000)]));
    await looking;
    assertEquals(told, []);
  });
});
