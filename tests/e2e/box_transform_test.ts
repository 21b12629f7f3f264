import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ask } from "../helpers/box/ask.ts";
import { Box } from "../helpers/box/box.ts";
import type { Job } from "../helpers/box/jobs/job.ts";
import { EXECUTION_ROLE } from "../helpers/box/jobs/job_store.ts";
import { pushBuilt } from "../helpers/box/shell_image.ts";
import { eventually } from "../helpers/eventually.ts";
import { gzip, tarGz } from "../helpers/tar.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

type Request = Readonly<Record<string, unknown>>;

/** Answers each line with the model's text and the line; what else it does, the line says. */
const SERVER = `
import http.server, json, os, sys, time

seen = set()
model = open("/opt/ml/model/model.txt").read()

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        parameters = os.environ.get("PARAMETERS")
        if self.path == "/ping":
            self.answer(int(os.environ.get("PING", "200")), "")
        else:
            self.answer(200 if parameters else 404, parameters or "")

    def do_POST(self):
        names = "Transfer-Encoding", "User-Agent", "Content-Type", "Accept"
        body = self.body().decode()
        print("asked", json.dumps(body), *(self.headers[name] for name in names))
        if "bad" in body:
            return self.answer(400, "No bad lines\\nplease")
        if "once" in body and body not in seen:
            seen.add(body)
            return self.answer(503, "Come again")
        if "slow" in body:
            time.sleep(60)
        if "later" in body:
            time.sleep(0.5)
        self.answer(200, "\\n".join(model + line for line in body.rstrip("\\n").split("\\n")))

    def body(self):
        if "Content-Length" in self.headers:
            return self.rfile.read(int(self.headers["Content-Length"]))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        return body

    def answer(self, status, text):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *words):
        pass

names = sorted(name for name in os.environ if name.startswith("SAGEMAKER_"))
if "DIES" in os.environ:
    sys.exit(3)
print(sys.argv[1:], *(f"{name}={os.environ[name]}" for name in names), os.environ.get("WHO"))
http.server.ThreadingHTTPServer(("", 8080), Handler).serve_forever()
`;

let box: Box;

/** A job on that data; what is not said is CSV by line. */
async function start(uri: string, more: Request = {}, input: Request = {}): Promise<Job> {
  const name = `job-${crypto.randomUUID().slice(0, 8)}`;
  const { body } = await ask(box, "sagemaker", "CreateTransformJob", {
    TransformJobName: name,
    ModelName: "m",
    TransformInput: {
      DataSource: { S3DataSource: { S3DataType: "S3Prefix", S3Uri: uri } },
      ...{ ContentType: "text/csv", SplitType: "Line", ...input },
    },
    TransformOutput: {
      ...{ S3OutputPath: `s3://data/${name}`, Accept: "text/csv", AssembleWith: "Line" },
    },
    TransformResources: { InstanceType: "ml.m5.large", InstanceCount: 1 },
    ...more,
  });
  assertStringIncludes(JSON.stringify(body), `transform-job/${name}`);
  return box.jobs.find("transform", name)!;
}

/** What a job left, by the end of its key. */
async function outputs({ name }: Job): Promise<Record<string, string>> {
  const keys = box.s3.keys("data", `${name}/`);
  return Object.fromEntries(
    await Promise.all(
      keys.map(async (key) => [key.slice(name.length + 1), await box.s3.text("data", key)]),
    ),
  );
}

function logOf(job: Job, stream = job.hosts[0]!): readonly string[] {
  return box.logs.messages(job.logGroup, job.logStream(stream));
}

function dataLog(job: Job, host = job.hosts[0]!): readonly string[] {
  return logOf(job, `${host}/data-log`).map((line) =>
    line.replace(/^[0-9T:.-]+:\[sagemaker logs\]: /, "")
  );
}

suite("the box's transforms on the engine", () => {
  beforeAll(async () => {
    box = await Box.open({ registry: true, jobs: true });
    const Image = await pushBuilt(box, "server", {
      Dockerfile: 'FROM ${BASE}\nCOPY server.py /\nENTRYPOINT ["python3", "-u", "/server.py"]\n',
      "server.py": SERVER,
    });
    box.s3.createBucket("data");
    const model = await tarGz([{ name: "model.txt", content: ">" }]);
    await box.s3.put("data", "model.tar.gz", model);
    for (
      const [key, content] of Object.entries({
        "batch/a.csv": "1\n2\n",
        "batch/b.csv": "1\nbad\n",
        "batch/c/d.csv": "3",
        "batch_more.csv": "4\n",
        "order.csv": "later,1\n2,2\nonce,3\n4,4\n",
        "slow.csv": "slow\n",
        "packed/b.csv.gz": "not packed",
      })
    ) await box.s3.put("data", key, content);
    await box.s3.put("data", "packed/a.csv.gz", await gzip(new TextEncoder().encode("5\n6\n")));
    for (const [ModelName, EnableNetworkIsolation] of [["m", false], ["isolated", true]]) {
      await ask(box, "sagemaker", "CreateModel", {
        ...{ ModelName, EnableNetworkIsolation, ExecutionRoleArn: EXECUTION_ROLE },
        PrimaryContainer: {
          ...{ Image, ModelDataUrl: "s3://data/model.tar.gz", Environment: { WHO: "model" } },
        },
      });
    }
  });
  afterAll(() => box[Symbol.asyncDispose]());

  it("share whole objects; one that fails has no output, and fails the job", async () => {
    const TransformResources = { InstanceType: "ml.m5.large", InstanceCount: 2 };
    const job = await start("s3://data/batch", { TransformResources });
    await job.ended;
    assertEquals([job.status, job.failureReason], [
      "Failed",
      "ClientError: See job logs for more information",
    ]);
    assertEquals(await outputs(job), {
      "a.csv.out": ">1\n>2\n",
      "batch_more.csv.out": ">4\n",
      "c/d.csv.out": ">3\n",
    });
    const asked = "None Go-http-client/1.1 text/csv text/csv";
    assertEquals(logOf(job), [
      "['serve'] SAGEMAKER_BATCH=true model",
      `asked "1\\n2\\n" ${asked}`,
      `asked "3" ${asked}`,
    ]);
    const first = "MaxConcurrentTransforms=1, MaxPayloadInMB=6, BatchStrategy=MULTI_RECORD";
    assertEquals(dataLog(job), [first]);
    assertEquals(dataLog(job, job.hosts[1]), [
      first,
      ...["ClientError: 400", "", "Message:", "No bad lines", "please"].map((line) =>
        `data/batch/b.csv: ${line}`
      ),
    ]);
  });

  it("keep the order, ask again, filter and join, and hear the container", async () => {
    const job = await start("s3://data/order.csv", {
      BatchStrategy: "SingleRecord",
      Environment: {
        WHO: "job",
        PARAMETERS:
          '{"MaxConcurrentTransforms":4,"MaxPayloadInMB":1,"BatchStrategy":"MULTI_RECORD"}',
      },
      DataProcessing: { InputFilter: "$[0]", JoinSource: "Input", OutputFilter: "$[1:]" },
    });
    await job.ended;
    assertEquals([job.status, job.failureReason], ["Completed", undefined]);
    assertEquals(await outputs(job), {
      "order.csv.out": "1,>later\n2,>2\n3,>once\n4,>4\n",
    });
    assertEquals(
      logOf(job)[0],
      "['serve'] SAGEMAKER_BATCH=true SAGEMAKER_BATCH_STRATEGY=SINGLE_RECORD job",
    );
    assertEquals(logOf(job).filter((line) => line.includes("once")).length, 2);
    assertEquals(dataLog(job), [
      "MaxConcurrentTransforms=4, MaxPayloadInMB=1, BatchStrategy=SINGLE_RECORD",
    ]);
  });

  it("read what is packed, and send what may have any size", async () => {
    const isolated = { ModelName: "isolated" };
    const packed = await start("s3://data/packed/", isolated, { CompressionType: "Gzip" });
    // A job that runs does not need its model any more.
    box.endpoints.models.delete("isolated");
    const large = await start("s3://data/batch/c/", { MaxPayloadInMB: 0 });
    await Promise.all([packed.ended, large.ended]);
    assertEquals(await outputs(packed), { "a.csv.gz.out": ">5\n>6\n" });
    assertMatch(dataLog(packed)[1]!, /^data\/packed\/b\.csv\.gz: The object is not in the format/);
    assertEquals(await outputs(large), { "d.csv.out": ">3\n" });
    assertMatch(logOf(large)[0]!, / SAGEMAKER_MAX_PAYLOAD_IN_MB=0 /);
    assertMatch(logOf(large)[1]!, /^asked "3" chunked /);
  });

  it("that are late, or not well, or whose server ends, fail", async () => {
    const ModelClientConfig = { InvocationsTimeoutInSeconds: 1, InvocationsMaxRetries: 0 };
    const late = await start("s3://data/slow.csv", { ModelClientConfig });
    await late.ended;
    box.machines.settings.startup = 2_000;
    const ill = await start("s3://data/batch/", { Environment: { PING: "500" } });
    const dead = await start("s3://data/batch/", { Environment: { DIES: "" } });
    await Promise.all([ill.ended, dead.ended]);
    box.machines.settings.startup = undefined;
    assertEquals(
      dataLog(late)[1],
      "data/slow.csv: Model server did not respond to /invocations request within 1 seconds",
    );
    assertEquals(late.failureReason, "AlgorithmError: See job logs for more information");
    for (const { failureReason } of [ill, dead]) {
      assertMatch(failureReason!, /^AlgorithmError: Model container failed to respond to ping\./);
    }
  });

  it("that are stopped leave nothing", async () => {
    const job = await start("s3://data/slow.csv");
    await eventually(() => Promise.resolve(logOf(job).some((line) => line.includes("slow"))));
    await ask(box, "sagemaker", "StopTransformJob", { TransformJobName: job.name });
    assertEquals(job.status, "Stopping");
    await job.ended;
    assertEquals(job.status, "Stopped");
    assertEquals(await outputs(job), {});
  });
});
