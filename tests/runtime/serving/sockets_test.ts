import { assertEquals } from "@std/assert";
import {
  type ListeningSocket,
  listeningSockets,
  socketsIn,
} from "../../../runtime/serving/sockets.ts";
import { frame } from "../../helpers/fake_containers.ts";
import {
  type Answers,
  clientOf,
  fakeEngine,
  never,
  pong,
  refusal,
} from "../../helpers/fake_engine.ts";
import { it, suite } from "../../helpers/suite.ts";

const HEADER =
  "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const REST =
  "00000000:00000000 00:00000000 00000000     0        0 9 1 0000000000000000 100 0 0 10 0\n";
const line = (address: string, state = "0A", remote = "00000000:0000") =>
  `   0: ${address} ${remote} ${state} ${REST}`;
const line6 = (address: string) => line(address, "0A", `${"0".repeat(32)}:0000`);

suite("listeningSockets", () => {
  const rows: readonly (readonly [
    title: string,
    text: string,
    sockets: readonly ListeningSocket[] | undefined,
  ])[] = [
    ["uvicorn's default", line("0100007F:1F40"), [{ address: "127.0.0.1", port: 8000 }]],
    ["Flask's default", line("0100007F:1388"), [{ address: "127.0.0.1", port: 5000 }]],
    ["all addresses", line("00000000:1F90"), [{ address: "0.0.0.0", port: 8080 }]],
    ["all of IPv6", line6(`${"0".repeat(32)}:1F90`), [{ address: "::", port: 8080 }]],
    ["the loopback of IPv6", line6(`${"0".repeat(24)}01000000:1F90`), [{
      address: "::1",
      port: 8080,
    }]],
    [
      "an address of IPv4 in IPv6, as Java binds it",
      line6("0000000000000000FFFF00000100007F:1F90"),
      [{ address: "127.0.0.1", port: 8080 }],
    ],
    [
      "an address of IPv6",
      line6("B80D0120000000000000000001000000:1F90"),
      [{ address: "2001:db8:0:0:0:0:0:1", port: 8080 }],
    ],
    ["no connection", line("0100007F:1F90", "01", "0100007F:9C40"), []],
    ["no socket of Docker's resolver", line("0B00007F:1F90"), []],
    ["no loopback port that the system chose", line("0100007F:A0E1"), []],
    ["gRPC's default", line("00000000:C383"), [{ address: "0.0.0.0", port: 50_051 }]],
    ["nothing", "", []],
  ];
  for (const [title, text, sockets] of rows) {
    it(`listeningSockets reads ${title}`, () =>
      assertEquals(listeningSockets(HEADER + text), sockets));
  }

  it("listeningSockets returns undefined for other text, such as the engine's refusal", () => {
    const refused =
      'OCI runtime exec failed: exec failed: unable to start container process: exec: "cat": ' +
      "executable file not found in $PATH: unknown\r\n";
    assertEquals([listeningSockets(refused), listeningSockets("")], [undefined, undefined]);
  });
});

suite("socketsIn", () => {
  const socketsOf = async (answers: Answers) => {
    await using fake = await fakeEngine({ "GET /_ping": () => pong("1.44"), ...answers });
    using engine = await clientOf(fake, { limits: { after: () => AbortSignal.timeout(500) } });
    return [await socketsIn(engine, "c", new AbortController().signal), fake.calls.at(-1)?.body];
  };
  const created = () => Response.json({ Id: "e" }, { status: 201 });

  it("socketsIn runs cat in the container, and ignores its standard error", async () => {
    const [sockets] = await socketsOf({
      "POST /containers/c/exec": created,
      "POST /exec/e/start": () =>
        new Response(
          new Blob([
            frame(1, HEADER + line("00000000:1F90")).slice(),
            frame(2, "cat: /proc/net/tcp6: No such file or directory\n").slice(),
          ]),
        ),
    });
    assertEquals(sockets, [{ address: "0.0.0.0", port: 8080 }]);
  });

  const refused = () => refusal(403, "Forbidden. Reason: exec is not allowed on SageMaker Studio");
  const failures: Readonly<Record<string, Answers>> = {
    "refuses to create the program": { "POST /containers/c/exec": refused },
    "refuses to start it": { "POST /containers/c/exec": created, "POST /exec/e/start": refused },
    "breaks its output off": {
      "POST /containers/c/exec": created,
      "POST /exec/e/start": () => new Response("x"),
    },
    "does not answer": { "POST /containers/c/exec": never },
  };
  for (const [title, answers] of Object.entries(failures)) {
    it(`socketsIn returns undefined if the engine ${title}`, async () => {
      assertEquals((await socketsOf(answers))[0], undefined);
    });
  }
});
