import { assertEquals, assertThrows } from "@std/assert";
import type { Parser } from "../../../commands/options/option.ts";
import {
  parseHost,
  parseLimit,
  parseMediaType,
  parsePort,
  parseSince,
  parseTag,
  parseTail,
  parseTimeLimit,
  size,
} from "../../../commands/options/parsers.ts";
import {
  parseCpus,
  parseGpus,
  parseInput,
  parseMemory,
  parseNetwork,
  parseSharedMemory,
} from "../../../commands/options/container.ts";
import { UsageError } from "../../../runtime/errors.ts";
import { inOwnProcess } from "../../helpers/own_process.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What a parser makes of what is typed, and what it refuses. */
interface Cases<T> {
  readonly parse: Parser<T>;
  readonly takes: readonly (readonly [typed: string, value: T])[];
  readonly refuses: readonly string[];
  /** The message for the first of these, after what gave it. */
  readonly message: string;
}

function suiteOf<T>(name: string, { parse, takes, refuses, message }: Cases<T>): void {
  suite(`the value ${name}`, () => {
    for (const [typed, value] of takes) {
      it(`takes ${typed}`, () => assertEquals(parse(typed, "It"), value));
    }
    for (const [index, typed] of refuses.entries()) {
      it(`refuses ${JSON.stringify(typed)}`, () => {
        const error = assertThrows(() => parse(typed, "It"), UsageError);
        if (index === 0) assertEquals(error.message, `It ${message}`);
      });
    }
  });
}

suiteOf("of --port", {
  parse: parsePort,
  takes: [["0", 0], ["8080", 8080], ["65535", 65_535]],
  refuses: ["65536", "0x1F90", "-1", "1.5", "http", " 80", "1e3"],
  message: 'must be a number from 0 to 65535, but got "65536"',
});

suiteOf("of --timeout", {
  parse: parseTimeLimit,
  takes: [
    ["1", 1],
    ["240", 240],
    ["2000000", 2_000_000],
    ["90s", 90],
    ["5m", 300],
    ["5min", 300],
    ["2H", 7_200],
    ["1h30m", 5_400],
    ["1d", 86_400],
  ],
  refuses: ["0", "2000001", "1.5", "0x10", "1e3", "-1", "0m", "24d", "5 m", "m", "30m1h", "5ms"],
  message: 'must be a duration of 1 to 2000000 seconds, such as 90s, 5m or 1h, but got "0"',
});

suiteOf("of --volume-size", {
  parse: size("GB", 16_384),
  takes: [["30", 30], ["30GB", 30], ["30gib", 30], ["30G", 30], ["1TB", 1_024]],
  refuses: ["0", "16385", "17TB", "500MB", "1.5GB", "30 GB", "30KB", "GB", "-1"],
  message: 'must be a size of 1 to 16384 GB, such as 50 or 50GB, but got "0"',
});

suiteOf("of --max-payload", {
  parse: size("MB", 100, 0),
  takes: [["0", 0], ["6", 6], ["6MB", 6], ["6m", 6]],
  refuses: ["101", "1GB", "6KB"],
  message: 'must be a size of 0 to 100 MB, such as 50 or 50MB, but got "101"',
});

suiteOf("of --allow-host", {
  parse: parseHost,
  // What is typed, and how a browser writes it.
  takes: [
    ["models.example", "models.example"],
    ["Models.Example.", "models.example"],
    ["my_host-1", "my_host-1"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["192.168.7.7", "192.168.7.7"],
    ["::1", "::1"],
    ["[FD00:0::1]", "fd00::1"],
  ],
  refuses: [
    ...["http://a.example", "a.example:80", "a.example/", "[::1]:80", "::1:g", "[a]", "a b", "*"],
    ...["*.example", "a..b", "a@b", "a%41", "a?b", "a,b", ".", "256.1.1.1"],
  ],
  message: 'must be a host name or IP address without scheme and port, but got "http://a.example"',
});

suiteOf("of --accept", {
  parse: parseMediaType,
  takes: [["text/csv", "text/csv"], ["*/*;q=0.8, text/csv", "*/*;q=0.8, text/csv"]],
  refuses: ["text\n/csv", "a\rb", "text/csv\n", "a\u0001", " ", "é", "text/模"],
  message: 'must be a content type such as text/csv, but got "text\\n/csv"',
});

suiteOf("of --tail", {
  parse: parseTail,
  takes: [["all", "all"], ["0", 0], ["20", 20]],
  refuses: ["x", "-1", "1.5", "1234567890"],
  message: 'must be a number of lines, or all, but got "x"',
});

suiteOf("of --since", {
  parse: parseSince,
  takes: [
    ["30s", 30_000],
    ["10m", 600_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ["2026-03-01T09:30:00Z", new Date("2026-03-01T09:30:00Z")],
    ["2026-03-01", new Date(2026, 2, 1)],
  ],
  refuses: ["yesterday", "10", "m", "-1m", "1.5h", "10 m", "2026-13-01", "1969-01-01", "12345"],
  message: "must be a duration such as 30s, 10m, 2h or 1d, or a time such as " +
    '2026-03-01T09:30:00Z, but got "yesterday"',
});

suite("a time of --since", () => {
  it("is of the place where it is typed, but where it names a zone", async () => {
    const typed = ["2026-03-01", "2026-03-01T09:30", "2026-03-01T09:30+02:00", "2026-03-01T09:30Z"];
    const printed = await inOwnProcess(
      `for (const text of ${JSON.stringify(typed)}) console.log(parseSince(text, "").toJSON());`,
      {
        imports: { parseSince: "commands/options/parsers.ts" },
        within: ["env", "TZ=America/New_York"],
      },
    );
    assertEquals(printed.trim().split("\n"), [
      "2026-03-01T05:00:00.000Z",
      "2026-03-01T14:30:00.000Z",
      "2026-03-01T07:30:00.000Z",
      "2026-03-01T09:30:00.000Z",
    ]);
  });
});

suiteOf("of --limit", {
  parse: parseLimit,
  takes: [["1", 1], ["20", 20], ["123456789", 123_456_789]],
  refuses: ["0", "-1", "1.5", "all", "", "1234567890"],
  message: 'must be a whole number, 1 or more, but got "0"',
});

suiteOf("of --docker-tag", {
  parse: parseTag,
  takes: [["latest", "latest"], ["v1.2_3-rc", "v1.2_3-rc"], ["a".repeat(128), "a".repeat(128)]],
  refuses: ["!", ".a", "-a", "a/b", "a:b", "a".repeat(129)],
  message: 'must be an image tag (letters, digits, "_", ".", "-"), but got "!"',
});

suiteOf("of --memory", {
  parse: parseMemory,
  takes: [
    ["6m", 6_291_456],
    ["512M", 536_870_912],
    ["1.5g", 1_610_612_736],
    ["2GB", 2_147_483_648],
    ["512MiB", 536_870_912],
    ["8388608", 8_388_608],
    ["8388608b", 8_388_608],
    ["6144k", 6_291_456],
  ],
  refuses: ["5m", "6", "1t", "m", "-1g", "1,5g", "9999999999g"],
  message: 'must be a size of 6m or more, such as 2g, but got "5m"',
});

suiteOf("of --shm-size", {
  parse: parseSharedMemory,
  takes: [["8g", 8_589_934_592], ["64m", 67_108_864], ["1", 1]],
  refuses: ["0", "-1", "8t", "x", ""],
  message: 'must be a size such as 512m or 8g, but got "0"',
});

suiteOf("of --cpus", {
  parse: parseCpus,
  takes: [["2", 2], ["1.5", 1.5], ["0.01", 0.01], ["64", 64]],
  refuses: ["0", "0.001", "-1", "1e3", "0x2", "two", "1.", "", "100001", "0.1234567891"],
  message: 'must be a number of CPUs, such as 2 or 1.5, but got "0"',
});

suiteOf("of --gpus", {
  parse: parseGpus,
  takes: [
    ["all", "all"],
    ["2", 2],
    ["device=0", ["0"]],
    ["device=0,1", ["0", "1"]],
    ['"device=0,1"', ["0", "1"]],
    ["device=GPU-3a23c669,MIG-1", ["GPU-3a23c669", "MIG-1"]],
  ],
  refuses: ["0", "-1", "1.5", "none", "device=", "device=0,", "device=a b", 'device=0,1"', "0,1"],
  message: 'must be all, a number of GPUs, or devices such as device=0,1, but got "0"',
});

suiteOf("of --network", {
  parse: parseNetwork,
  takes: [["bridge", "bridge"], ["host", "host"], ["none", "none"], ["a_b.c-1", "a_b.c-1"]],
  refuses: ["container:db", "", "-a", "a b", "a/b", "ns:/proc/1/ns/net"],
  message: 'must be bridge, host, none or the name of a Docker network, but got "container:db"',
});

suiteOf("of local train --input", {
  parse: parseInput,
  takes: [
    ["training=/data", { name: "training", directory: "/data" }],
    ["a.b-c_1=d=e", { name: "a.b-c_1", directory: "d=e" }],
  ],
  refuses: ["x", "=d", "a=", ".=d", "..=d", "a/b=d", `${"a".repeat(65)}=d`],
  message: "must be CHANNEL=DIR, such as training=/data/churn (CHANNEL: up to 64 letters, " +
    'digits, ".", "_" and "-"), but got "x"',
});
