import { assertEquals, assertMatch } from "@std/assert";
import { fakeContainers, frame, type Play } from "../../../helpers/fake_containers.ts";
import { refusal } from "../../../helpers/fake_engine.ts";
import { type InProcessOptions, Keys, runInProcess } from "../../../helpers/in_process.ts";
import type { ProgramResult } from "../../../helpers/program.ts";
import { it, suite } from "../../../helpers/suite.ts";

const SERVER = {
  Id: "a",
  Names: ["/mlcli-x-serve-8080"],
  State: "running",
  Labels: { "mlcli.app": "x", "mlcli.role": "serve", "mlcli.port": "8080" },
};

const LOG = "GET /containers/ID/logs";

/** A log in one piece. */
function log(...frames: readonly Uint8Array[]): Response {
  return new Response(new Blob(frames.map((bytes) => bytes.slice())));
}

async function logs(
  play: Play,
  args: readonly string[] = [],
  options: Partial<InProcessOptions> = {},
): Promise<ProgramResult & { readonly queries: readonly Readonly<Record<string, string>>[] }> {
  await using engine = await fakeContainers({ containers: [SERVER], ...play });
  const line = ["local", "logs", ...args];
  const result = await runInProcess(line, { cwd: "/", engine, ...options });
  return { ...result, queries: engine.callsOf(LOG).map(({ query }) => query) };
}

const ENDED = {
  "POST /containers/ID/wait": () => Response.json({ StatusCode: 0 }),
  "GET /containers/ID/json": () => Response.json({ State: { Running: false } }),
};

suite("local logs", () => {
  it("passes each stream on where it belongs, and asks for no more than that", async () => {
    const answers = { [LOG]: () => log(frame(1, "one\n"), frame(2, "two\n"), frame(1, "é\n")) };
    assertEquals(await logs({ answers }), {
      code: 0,
      stdout: "one\né\n",
      stderr: "two\n",
      queries: [{ stdout: "1", stderr: "1", tail: "all" }],
    });
    const { queries } = await logs({ answers }, ["--tail", "7"]);
    assertEquals(queries, [{ stdout: "1", stderr: "1", tail: "7" }]);
  });

  const silent: readonly (readonly [state: string, args: readonly string[], said: RegExp])[] = [
    [
      "running",
      [],
      /^note: \S+ on http:\/\/localhost:8080 has printed nothing yet; .* --follow\n$/,
    ],
    ["exited", [], /^note: \S+ exited without printing anything\n$/],
    ["running", ["--tail", "0"], /^$/],
  ];
  for (const [state, args, said] of silent) {
    it(`says so where there is none: ${state} ${args.join(" ")}`, async () => {
      const containers = [{ ...SERVER, State: state }];
      const { code, stdout, stderr } = await logs(
        { containers, answers: { [LOG]: () => log() } },
        args,
      );
      assertEquals([code, stdout], [0, ""]);
      assertMatch(stderr, said);
    });
  }

  it("--follow asks to follow, and ends when the server has ended", async () => {
    const answers = { ...ENDED, [LOG]: () => log(frame(1, "one\n")) };
    assertEquals(await logs({ answers }, ["--follow", "--tail", "0"]), {
      code: 0,
      stdout: "one\n",
      stderr: "",
      queries: [{ stdout: "1", stderr: "1", tail: "0", follow: "1" }],
    });
  });

  it("--follow ends with a server that is reported as running a moment longer", async () => {
    const ended = Promise.withResolvers<void>();
    const answers = {
      [LOG]: () => log(frame(1, "one\n")),
      "POST /containers/ID/wait": () => {
        const start = async (
          controller: ReadableStreamDefaultController<Uint8Array>,
        ): Promise<void> => {
          await ended.promise;
          controller.enqueue(new TextEncoder().encode('{"StatusCode":0}'));
          controller.close();
        };
        return new Response(new ReadableStream({ start: (controller) => void start(controller) }));
      },
      "GET /containers/ID/json": () => {
        // Once this answer has arrived, so that it is asked again only after a pause.
        setTimeout(ended.resolve);
        return Response.json({ State: { Running: true } });
      },
    };
    const { code, stdout, stderr } = await logs({ answers }, ["--follow"]);
    assertEquals({ code, stdout, stderr }, { code: 0, stdout: "one\n", stderr: "" });
  });

  it("--follow ends where the server was removed", async () => {
    const answers = {
      [LOG]: () => log(frame(1, "one\n")),
      "POST /containers/ID/wait": () => refusal(404, "gone"),
    };
    const { code, stdout, stderr } = await logs({ answers }, ["--follow"]);
    assertEquals({ code, stdout, stderr }, { code: 0, stdout: "one\n", stderr: "" });
  });

  it("--follow on Podman reads what following lacks, once", async () => {
    let asked = 0;
    const whole = [frame(1, "one\n"), frame(2, "err\n"), frame(1, "two\n"), frame(1, "three\n")];
    const answers = {
      ...ENDED,
      [LOG]: () => asked++ === 0 ? log(whole[0]!, frame(1, "tw")) : log(...whole),
    };
    const { code, stdout, stderr, queries } = await logs({ answers, isPodman: true }, ["-f"]);
    assertEquals({ code, stdout, stderr }, {
      code: 0,
      stdout: "one\ntwo\nthree\n",
      stderr: "err\n",
    });
    assertEquals(queries.map(({ follow }) => follow), ["1", undefined]);
    // Of a part of a log nobody knows what is lacking.
    asked = 0;
    assertEquals(
      (await logs({ answers, isPodman: true }, ["-f", "--tail", "9"])).queries.length,
      1,
    );
  });

  for (const follow of [[], ["--follow"]]) {
    it(`${follow.join()} ends with Ctrl-C`, async () => {
      const keys = new Keys();
      const start = (controller: ReadableStreamDefaultController<Uint8Array>): void =>
        controller.enqueue(frame(1, "one\n"));
      const answers = { [LOG]: () => new Response(new ReadableStream({ start })) };
      const { code, stderr } = await logs({ answers }, follow, {
        keys,
        onOutput: () => keys.press(),
      });
      assertEquals({ code, stderr }, { code: 130, stderr: "" });
    });
  }

  it("ends with Ctrl-C though the reader has stopped reading", async () => {
    const keys = new Keys();
    const unread = Promise.withResolvers<void>();
    const { code } = await logs({ answers: { [LOG]: () => log(frame(1, "one\n")) } }, [], {
      keys,
      onOutput: () => {
        keys.press();
        return unread.promise;
      },
    });
    unread.resolve();
    assertEquals(code, 130);
  });

  it("says what the engine refuses", async () => {
    const { code, stderr } = await logs({ answers: { [LOG]: () => refusal(500, "not today") } });
    assertEquals(code, 1);
    assertMatch(stderr, /^error: The Docker Engine refused GET .*logs \(500\): not today\n/);
  });
});

suite("local status", () => {
  it("asks for mlcli's containers, or the app's, ended ones included", async () => {
    for (
      const [args, label] of [
        [[], ["mlcli.role"]],
        [["--app-name", "x"], ["mlcli.role", "mlcli.app=x"]],
      ] as const
    ) {
      await using engine = await fakeContainers();
      const { code } = await runInProcess(["local", "status", ...args], { cwd: "/", engine });
      const [{ query }] = [engine.callsOf("GET /containers/json")[0]!];
      assertEquals([code, query["all"], JSON.parse(query["filters"]!)], [0, "1", { label }]);
    }
  });
});
