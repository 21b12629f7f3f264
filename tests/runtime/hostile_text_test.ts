import { assertEquals } from "@std/assert";
import { inOwnProcess } from "../helpers/own_process.ts";
import { it, suite } from "../helpers/suite.ts";

/**
 * What others say, at a length at which a pattern whose time grows with its square takes minutes and
 * hours: a process of its own is killed then. What it prints names the ones that it has done.
 */
const ROWS = String.raw`
const MANY = 1_000_000;
const bytes = (text) => new TextEncoder().encode(text);
const blanks = "a" + " \t".repeat(125_000) + "b";

/** Head of an answer of a server on this machine, as long as mlcli reads one. */
async function answered(head) {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    using connection = await listener.accept();
    await connection.read(new Uint8Array(4096));
    for (let rest = bytes(head + "\r\n\r\n"); rest.length > 0;) {
      rest = rest.subarray(await connection.write(rest));
    }
  })();
  const request = { call: "GET /", headers: {}, body: [] };
  const hear = ({ headers }) => Promise.resolve(headers.get("x")?.length);
  const length = await exchange(listener.addr.port, request, new AbortController().signal, hear);
  await serving;
  return length;
}

const search = (regex, line) => new MetricSearch([{ name: "m", regex }]).in(line)[0].value;
const rows = {
  "a server's header": () => answered("HTTP/1.1 200 OK\r\nx: " + blanks + "\r\nContent-Length: 0"),
  "a header that the relay passes on": () =>
    answerHead(bytes("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nx: " + blanks + "\r\n\r\n"), "GET").persists,
  "a request that it passes on": () =>
    requestHead(bytes("GET " + "/ ".repeat(MANY) + "\r\nx: " + blanks + "\r\n\r\n")).method,
  "a directive of a Dockerfile": () => directivesOf(["#a=" + " ".repeat(MANY) + "x x"]).size,
  "a directive without a value": () => directivesOf(["#" + " ".repeat(MANY) + "!"]).size,
  "a line of a Dockerfile": () => instructionsOf("RUN a" + " ".repeat(MANY) + "b").length,
  "documents of a Dockerfile": () => instructionsOf("RUN" + " <<\"a".repeat(MANY)).length,
  "what a step mounts": () => mountedSource("--mount=type=" + "$".repeat(MANY) + "\n,source=a"),
  "what a step copies": () =>
    leakOf(instructionsOf("FROM a\nCOPY " + "\${".repeat(MANY / 2) + " /x")) !== undefined,
  "what reads a Dockerfile": () => leakOfFrontend("\n".repeat(MANY) + "FROM a"),
  "a line of .dockerignore": async () => (await parseIgnoreRules("!" + "\\[".repeat(8_000) + "\n!" + "/".repeat(MANY))).bringBack("a", "a"),
  "a type of machine": () => hasOwnDisk("ml.m5" + "d".repeat(MANY) + "0"),
  "a media type": () =>
    Promise.try(parseMediaType, "!".repeat(MANY) + "\n", "X").catch(({ name }) => name),
  "an entry point": () =>
    imageDifferences({ name: "a", configuration: { imageName: "a" }, image: "a:v1" }, {
      Os: "linux",
      Architecture: "amd64",
      Config: { Entrypoint: ["sh", "-" + "c".repeat(MANY) + "!", "x"] },
    }).length,
  "an alarm": () =>
    Promise.try(parseAlarm, "arn::cloudwatch:" + ":alarm::".repeat(MANY / 8) + "\n", "X")
      .catch(({ name }) => name),
  "requirements": () => requirementNames("a" + " #".repeat(MANY) + "\r\nb").size,
  "a number": () => search("^x=(.*)", "x=" + "1".repeat(MANY / 4) + "!"),
  "an expression's number": () => search("x=([0-9]+)", "x=1"),
  "a registry's words": () => pushFailure("tag repository with name ".repeat(MANY / 25)),
  "a registry's words, of a request": () =>
    pushFailure("unexpected status from a request to ".repeat(MANY / 36)),
  "why a job failed": () => likelyCause({ kind: "train", reason: "role ARN Requested image 403 ".repeat(MANY / 29), log: [] }),
  "a program's output": () => terminalText("\x1b[".repeat(MANY) + "\x1b]".repeat(MANY) + "\r".repeat(MANY)).length,
  "a container's log": () => logLines("\x1b[0".repeat(MANY) + "\x1b]".repeat(MANY) + "\r".repeat(MANY)).length,
  "a traceback": () => headlineOf("Traceback (most recent call last):\n" + " (a, line 1".repeat(MANY / 10)) !== "",
};
Object.assign(rows, {
  "a line of requirements that is no path": () => requirementLines("-r " + "a/".repeat(MANY))[0].reference,
  "a missing module": () => missingModule("ModuleNotFoundError: No module named '" + "a.".repeat(MANY) + "'"),
  "names that are close": () => closest("a".repeat(20_000), Array(50).fill("b".repeat(20_000))),
  "a page in the log of a transform": () =>
    failedObjects(["b/k: 400", "b/k: <html " + "<".repeat(MANY)], { bucket: "b" }).length,
  "a README": () => sampleIn("\n".repeat(MANY)),
  "code of a server": () => withoutServer("flask\ndef f" + "(".repeat(49_000) + ")".repeat(49_000)),
  "a line of an engine": async () => {
    const chunks = async function* () {
      for (let n = 0; n < 4_096; n++) yield bytes("a".repeat(16_384));
    };
    let length = 0;
    for await (const line of linesOf(chunks())) length += line.length;
    return length;
  },
});
const yaml = (text) => Promise.try(mappingIn, text, "x").catch(({ message }) => message);
const lines = (line) => Array.from({ length: 50_000 }, (_, n) => line(n)).join("");
for (const [name, text] of Object.entries({
  commas: "a: [" + ",".repeat(MANY),
  tags: "a: " + "!!str ".repeat(60_000),
  "tags in a list": "a: [" + "!!str ".repeat(60_000),
  "lists without an end": "- ".repeat(MANY / 4) + "\n".repeat(MANY / 2),
  "anchors and aliases": lines((n) => "k" + n + ": &a" + n + " 1\nl" + n + ": *a" + n + "\n"),
  "aliases of empty lists": "a: &a [" + "[],".repeat(MANY / 4) + "]\nb: [" + "*a ,".repeat(MANY / 4) + "]",
  "aliases of aliases": "a: &a []\nb: &b [" + "*a ,".repeat(MANY / 4) + "]\nc: *b",
  "keys that are lists": lines((n) => "k" + n + ": &a" + n + " 1\n") + "? [1]\n: 1\n".repeat(MANY / 16),
  "an ordered mapping": "a: !!omap\n" + lines((n) => "- k" + n + ": 1\n"),
  "wrong escapes": 'a: "' + "\\q".repeat(MANY / 2) + '"',
})) rows["YAML: " + name] = () => yaml(text);
for (const [name, work] of Object.entries(rows)) console.log(name + ": " + await work());
`;

suite("text of others, of any length", () => {
  it("is read in linear time", async () => {
    const printed = await inOwnProcess(ROWS, {
      imports: {
        answerHead: "runtime/http/messages.ts",
        requestHead: "runtime/http/messages.ts",
        exchange: "runtime/http/exchange.ts",
        directivesOf: "runtime/app/dockerfile/instructions.ts",
        instructionsOf: "runtime/app/dockerfile/instructions.ts",
        mountedSource: "runtime/app/dockerfile/instructions.ts",
        leakOf: "runtime/image/network/build_network.ts",
        hasOwnDisk: "runtime/contract/instances.ts",
        imageDifferences: "runtime/local/differences/image.ts",
        parseMediaType: "commands/options/parsers.ts",
        parseAlarm: "commands/options/cloud_deploy.ts",
        leakOfFrontend: "runtime/image/network/build_network.ts",
        parseIgnoreRules: "runtime/app/ignore_rules.ts",
        requirementNames: "runtime/contract/missing_modules.ts",
        MetricSearch: "runtime/contract/metric_values.ts",
        pushFailure: "runtime/cloud/push/failures.ts",
        likelyCause: "runtime/contract/failure_causes.ts",
        terminalText: "runtime/text.ts",
        logLines: "runtime/contract/log_lines.ts",
        headlineOf: "runtime/contract/outcome.ts",
        mappingIn: "runtime/origin/yaml.ts",
        requirementLines: "runtime/contract/requirement_lines.ts",
        missingModule: "runtime/contract/missing_modules.ts",
        closest: "runtime/text.ts",
        failedObjects: "runtime/contract/data_log.ts",
        sampleIn: "runtime/local/ui/sample.ts",
        withoutServer: "runtime/origin/python.ts",
        linesOf: "runtime/docker/answer.ts",
      },
    });
    assertEquals(printed.trimEnd().split("\n"), [
      "a server's header: 250002",
      "a header that the relay passes on: true",
      "a request that it passes on: ",
      "a directive of a Dockerfile: 0",
      "a directive without a value: 0",
      "a line of a Dockerfile: 1",
      "documents of a Dockerfile: 1",
      "what a step mounts: undefined",
      "what a step copies: true",
      "what reads a Dockerfile: undefined",
      "a line of .dockerignore: false",
      "a type of machine: false",
      "a media type: UsageError",
      "an entry point: 0",
      "an alarm: UsageError",
      "requirements: 2",
      "a number: undefined",
      "an expression's number: 1",
      "a registry's words: other",
      "a registry's words, of a request: other",
      "why a job failed: undefined",
      "a program's output: 4000000",
      "a container's log: 1",
      "a traceback: true",
      "a line of requirements that is no path: undefined",
      "a missing module: undefined",
      "names that are close: undefined",
      "a page in the log of a transform: 1",
      "a README: null",
      "code of a server: undefined",
      "a line of an engine: 67108864",
      ...[
        ["commas", "30000 tokens"],
        ["tags", "30000 tokens"],
        ["tags in a list", "30000 tokens"],
        ["lists without an end", "30000 tokens"],
        ["anchors and aliases", "20 aliases"],
        ["aliases of empty lists", "30000 tokens"],
        ["aliases of aliases", "20 aliases"],
        ["keys that are lists", "30000 tokens"],
        ["an ordered mapping", "30000 tokens"],
        ["wrong escapes", "50000 escapes"],
      ].map(([name, most]) =>
        `YAML: ${name}: Cannot parse x as YAML: it contains more than ${most}`
      ),
    ]);
  });
});
