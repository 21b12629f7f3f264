import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { filesBelow, namesIn } from "../helpers/directory.ts";
import { buildTestImage, containersOf, networksOf, TEST_IMAGE } from "../helpers/engine.ts";
import type { ProgramResult } from "../helpers/program.ts";
import { lastRun, runsOf } from "../helpers/runs.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";
import { TextReader } from "../helpers/text_reader.ts";

/** What all code here starts with: each host answers on a port, and asks the others there. */
const PEERS = `
import json, os, signal, socket, sys, threading, time
def read(name):
    with open("/opt/ml/" + name) as file: return json.load(file)
def write(name, text):
    with open("/opt/ml/" + name, "w") as file: file.write(text)
done = threading.Semaphore(0)
def answer():
    server = socket.create_server(("", 9000))
    while True:
        with server.accept()[0] as peer:
            if peer.recv(9) == b"done": done.release()
            peer.sendall(ME.encode())
def ask(host, word=b"hello"):
    with socket.create_connection((host, 9000), 0.3) as peer:
        peer.sendall(word)
        return peer.recv(9).decode()
def until_answered(host, word=b"hello"):
    for _ in range(200):
        try: return ask(host, word)
        except OSError: time.sleep(0.05)
    raise SystemExit(host + " does not answer")
`;

/** Meets all others by their names, and tells what it was given. */
const REPORT = `${PEERS}
def train(data, model):
    global ME
    started = time.time()
    config = read("input/config/resourceconfig.json")
    ME = config["current_host"]
    threading.Thread(target=answer, daemon=True).start()
    met = [until_answered(host) for host in config["hosts"]]
    channels = read("input/config/inputdataconfig.json")
    report = {
        "met": met, "name": socket.gethostname(), "hosts": config["hosts"], "started": started,
        "group": config["instance_groups"][0]["hosts"],
        "data": {name: sorted(os.listdir("/opt/ml/input/data/" + name)) for name in channels},
        "shared": {name: channels[name]["S3DistributionType"] for name in channels},
    }
    write("output/data/" + ME + ".json", json.dumps(report))
    write("model/" + ME, "")
    write("model/config", "the same")
    write("model/weights", ME)
    print("one of", ME, flush=True)
    print("two of", ME, file=sys.stderr, flush=True)
    for host in config["hosts"]:
        if host != ME: until_answered(host, b"done")
    for _ in config["hosts"][1:]: done.acquire(timeout=10)
`;

const INPUT = "local_test/test_dir/input/data";

function appOf(code: string, files: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: {
      "training/training.py": code,
      ...Object.fromEntries(["a", "b", "c"].map((name) => [`${INPUT}/training/${name}`, name])),
      ...files,
    },
  });
}

/** What an app's runs have left: containers, networks, and directories of hosts. */
async function leftOf({ name, path }: TestApp): Promise<readonly string[]> {
  const containers = await containersOf(name);
  const folders = (await runsOf({ path })).map((run) => path("local_test/jobs", run, "hosts"));
  const hosts = await Promise.all(folders.map((folder) => namesIn(folder).catch(() => [])));
  return [...containers.map(({ Id }) => Id), ...await networksOf(name), ...hosts.flat()];
}

/** Trains, and requires that nothing is left. */
async function train(app: TestApp, args: string): Promise<ProgramResult> {
  const result = await app.run(["local", "train", ...args.split(" ")]);
  assertEquals(await leftOf(app), [], result.stderr);
  return result;
}

// deno-lint-ignore no-explicit-any
async function jsonIn(path: string): Promise<any> {
  return JSON.parse(await Deno.readTextFile(path));
}

const CLASH =
  /^(?:warning: | *)(algo-.+) wrote different versions of (\S+); mlcli keeps the files of (\S+)$/m;

suite("local train on several hosts", () => {
  beforeAll(buildTestImage);

  it("has them meet by name and find this machine, gives each its part, and merges what they wrote", async () => {
    const shared = Object.fromEntries(["d", "e"].map((name) => [`${INPUT}/other/${name}`, name]));
    // Which names Podman has depends on its version.
    const machine = `
    if not os.path.exists("/run/.containerenv"): socket.gethostbyname("host.docker.internal")`;
    await using app = await appOf(REPORT + machine, shared);
    const { code, stdout, stderr } = await train(app, "--instance-count 3 --shard training");
    assertEquals(code, 0, stderr);
    const hosts = ["algo-1", "algo-2", "algo-3"];
    for (const [index, host] of hosts.entries()) {
      const { started: _, ...report } = await jsonIn(app.testPath(`output/data/${host}.json`));
      assertEquals(report, {
        ...{ met: hosts, hosts, group: hosts, name: host },
        data: { training: [["a"], ["b"], ["c"]][index]!, other: ["d", "e"] },
        shared: { training: "ShardedByS3Key", other: "FullyReplicated" },
      });
    }
    const model = { ...{ "algo-1": "", "algo-2": "", "algo-3": "" }, config: "the same" };
    assertEquals(await filesBelow(app.testPath("model")), { ...model, weights: "algo-3" });
    assertEquals(CLASH.exec(stderr)?.slice(1), [
      ...["algo-1, algo-2, algo-3", "/opt/ml/model/weights", "algo-3"],
    ]);
    const lines = (stream: string) => hosts.map((host) => `${host}: ${stream} of ${host}`);
    assertEquals(stdout.trim().split("\n").sort(), lines("one"));
    assertEquals(stderr.split("\n").filter((line) => /^algo-\d: /.test(line)).sort(), lines("two"));
    const log = await Deno.readTextFile(await lastRun(app, "log"));
    for (const line of [...lines("one"), ...lines("two")]) assertStringIncludes(log, line);
    const { hosts: kept } = await jsonIn(await lastRun(app, "job.json"));
    for (const { exit_status, seconds, peak_memory, ended_by } of kept) {
      assertEquals([exit_status, ended_by], [0, null]);
      assert(seconds > 0 && (peak_memory === null || peak_memory > 0));
    }
    assertEquals(kept.map(({ name }: { name: string }) => name).sort(), hosts);
  });

  it("has them meet with --network-isolation, starts the first late under --strict, and fails for files that are not the same", async () => {
    // Not the code in the image, of which --strict mounts nothing over.
    await using app = await appOf("", { "../../code/run.py": `${REPORT}\ntrain(None, None)\n` });
    const options = "--strict --network-isolation --entry-point run.py --source-dir code";
    const { code, stderr } = await train(app, `--instance-count 2 ${options}`);
    assertEquals(code, 1, stderr);
    assertEquals(CLASH.exec(stderr)?.[2], "/opt/ml/model/weights", stderr);
    const reports = ["algo-1", "algo-2"].map((host) => app.testPath(`output/data/${host}.json`));
    const [one, two] = await Promise.all(reports.map(jsonIn));
    assert(one.started - two.started > 2, `${one.started} ${two.started}`);
    assertEquals([one.group, two.group], [["algo-2", "algo-1"], ["algo-2", "algo-1"]]);
    assertEquals([one.hosts, one.met], [["algo-1", "algo-2"], ["algo-1", "algo-2"]]);
  });

  it("goes on from the checkpoints of a run that was stopped in time", async () => {
    await using app = await appOf(`${PEERS}
def train(data, model):
    me = os.environ["SM_CURRENT_HOST"]
    path = "checkpoints/" + me
    old = os.path.exists("/opt/ml/" + path) and read(path)
    print("from", old, flush=True)
    write(path, "7")
    write("model/" + me, "")
    if old: return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    time.sleep(60)
`);
    const first = await train(app, "--instance-count 2 --stop-after 2");
    assertEquals([first.code, first.stdout.match(/from False/g)?.length], [0, 2], first.stderr);
    assertEquals(await filesBelow(app.testPath("checkpoints")), { "algo-1": "7", "algo-2": "7" });
    const second = await train(app, "--instance-count 2 --checkpoints");
    assertEquals([second.code, second.stdout.match(/from 7/g)?.length], [0, 2], second.stderr);
    assertMatch(
      second.stderr,
      /^note: The code resumed: it read the checkpoints of an earlier run$/m,
    );
  });

  /** algo-1 asks algo-2 again and again, and says when that changes; WANTED ends both. */
  const ASKING = `${PEERS}
def train(data, model):
    global ME
    ME = os.environ["SM_CURRENT_HOST"]
    def stop(*_):
        write("model/stopped", ME)
        sys.exit(0)
    signal.signal(signal.SIGTERM, stop)
    write("model/" + ME, "")
    if ME != "algo-1":
        threading.Thread(target=answer, daemon=True).start()
        return done.acquire(timeout=60)
    until_answered("algo-2")
    seen, wanted = [], os.environ.get("WANTED", "").replace("+", " ")
    for _ in range(600):
        try: state = ask("algo-2") and "up"
        except OSError: state = "down"
        if seen[-1:] != [state]: seen.append(state)
        if wanted and " ".join(seen).endswith(wanted): break
        if not wanted and state == "down": raise ConnectionError("algo-2 is gone")
        time.sleep(0.05)
    print(*seen, flush=True)
    until_answered("algo-2", b"done")
`;

  it("loses a host for a time: frozen, then back", async () => {
    await using app = await appOf(ASKING);
    const args = "--instance-count 2 --env WANTED=down+up --freeze-host algo-2@2+1.5";
    const { code, stdout, stderr } = await train(app, args);
    assertEquals(code, 0, stderr);
    assertMatch(stdout, /down up\n$/);
    assertMatch(
      stderr,
      /^algo-2 was frozen after 2\.\ds for 1\.5 s\. All hosts kept running and /m,
    );
  });

  it("loses a host for good: the first that fails ends the others, and is what the run ended with", async () => {
    await using app = await appOf(ASKING);
    const { code, stderr } = await train(app, "--instance-count 3 --kill-host algo-2@2");
    assertEquals(code, 1, stderr);
    assertMatch(stderr, /^algo-1 failed \(exit code 1\); stopping the others \(up to 10 s\)$/m);
    assertMatch(
      stderr,
      /^algo-2 was killed after 2\.\ds\. The job failed fast: algo-1 exited \d\.\ds /m,
    );
    assertMatch(stderr, /^error: Training failed on algo-1: [^]*algo-2 is gone/m);
    const failure = await Deno.readTextFile(app.testPath("output/failure"));
    assertStringIncludes(failure, "algo-2 is gone");
    const model = { "algo-1": "", "algo-2": "", "algo-3": "", stopped: "algo-3" };
    assertEquals(await filesBelow(await lastRun(app, "model")), model);
    const { hosts, outcome } = await jsonIn(await lastRun(app, "job.json"));
    assertEquals(outcome.exit_status, 1);
    assertEquals(
      hosts.map((host: Record<string, unknown>) => [host.name, host.exit_status, host.ended_by]),
      [["algo-1", 1, null], ["algo-2", 137, null], ["algo-3", 0, "algo-1"]],
    );
  });

  it("is ended by the next command where mlcli was killed, a frozen host as well", async () => {
    await using app = await appOf(ASKING, { "processing/p.py": "" });
    const args = "local train --instance-count 2 --freeze-host algo-2@2 --env WANTED=x";
    const child = app.start(args.split(" "));
    const err = new TextReader(child.stderr);
    await err.until(/Injecting a fault into algo-2/);
    child.kill("SIGKILL");
    await Promise.all([child.status, err.toEnd(), child.stdout.cancel()]);
    assert((await leftOf(app)).length >= 3);
    const hosts = await lastRun(app, "hosts");
    const { code, stderr } = await app.run(["local", "process", "--file", "p.py"]);
    assertEquals(code, 0, stderr);
    assertMatch(
      stderr,
      /^warning: mlcli was killed during a run on several hosts; the hosts' files are in .*hosts\n/,
    );
    assertEquals(await leftOf(app), ["algo-1", "algo-2"]);
    assertEquals(await filesBelow(hosts), {
      "algo-1/written/model/algo-1": "",
      "algo-2/written/model/algo-2": "",
    });
  });
});

suite("local process on several hosts", () => {
  beforeAll(buildTestImage);

  it("shares its inputs out, and merges its outputs", async () => {
    await using app = await appOf("", {
      "processing/p.py": `
import json, os
with open("/opt/ml/config/resourceconfig.json") as file: host = json.load(file)["current_host"]
folder = "/opt/ml/processing/input/data"
for name in os.listdir(folder): open("/opt/ml/processing/output/" + name, "w").write(host)
`,
      ...{ "../../data/a": "1", "../../data/b": "2", "../../data/c": "3" },
    });
    const input = "data:/opt/ml/processing/input/data=data";
    const args = ["--file", "p.py", "--instance-count", "2", "--input", input, "--shard", "all"];
    const { code, stderr } = await app.run(["local", "process", ...args]);
    assertEquals([code, await leftOf(app)], [0, []], stderr);
    const made = await filesBelow(app.testPath("output"));
    assertEquals(made, { a: "algo-1", b: "algo-2", c: "algo-1" });
  });
});
