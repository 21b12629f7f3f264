import { assertEquals } from "@std/assert";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { buildTestImage, containersOf, TEST_IMAGE } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

const DATA = "local_test/test_dir/input/data/processing/table.csv";

function processingApp(file: string, code: string): Promise<TestApp> {
  return makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: { [`processing/${file}`]: code, [DATA]: "a,b\n" },
  });
}

suite("local process", () => {
  beforeAll(buildTestImage);

  it("runs the script with SageMaker's paths, and removes the container", async () => {
    await using app = await processingApp(
      "steps/clean.py",
      `
import http.server, json, os, sys, threading, urllib.request
sys.path.insert(0, os.path.dirname(__file__))

def ask(host):
    """Sends a request to a server of its own. The proxy does not exist."""
    server = http.server.HTTPServer(("", 0), http.server.SimpleHTTPRequestHandler)
    server.RequestHandlerClass.log_message = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return urllib.request.urlopen("http://%s:%d/" % (host, server.server_port)).status

def process():
    with open("/opt/ml/processing/input/table.csv") as table: text = table.read()
    with open("/opt/ml/processing/output/table.csv", "w") as table: table.write(text.upper())
    with open("/opt/ml/config/resourceconfig.json") as file: print(json.load(file)["current_host"])
    with open("/opt/ml/config/processingjobconfig.json") as file:
        job = json.load(file)
    print(job["AppSpecification"]["ContainerArguments"], job["ProcessingJobArn"].split("/")[0])
    print(os.environ["AWS_REGION"])
    print(os.environ["ML_INPUT_DIR"], os.environ["ML_OUTPUT_DIR"])
    print(os.environ["http_proxy"], ask("localhost"), ask("algo-1"))
    try: open("/opt/ml/processing/input/x", "w")
    except OSError: print("the input is read-only", file=sys.stderr)

if __name__ == "__main__":
    process()
`,
    );
    const proxies = { default: { httpProxy: "http://proxy.invalid:3128" } };
    await using docker = await makeDirectory({ "config.json": JSON.stringify({ proxies }) });
    const { code, stdout, stderr } = await app.run(
      ["local", "process", "-f", "steps/clean.py"],
      { env: { AWS_REGION: "cn-north-1", DOCKER_CONFIG: docker.path } },
    );
    assertEquals({ code, stdout, stderr }, {
      code: 0,
      stdout: "algo-1\n" +
        "['process', 'steps/clean.py'] " +
        "arn:aws-cn:sagemaker:cn-north-1:000000000000:processing-job\n" +
        "cn-north-1\n/opt/ml/input /opt/ml/output\nhttp://proxy.invalid:3128 200 200\n",
      stderr: "the input is read-only\n",
    });
    assertEquals(await Deno.readTextFile(app.testPath("output/table.csv")), "A,B\n");
    assertEquals(await containersOf(app.name), []);
  });

  it("gives the script what follows --, its variables, and no network where none is wanted", async () => {
    await using app = await processingApp(
      "p.py",
      "import json, os, socket, sys\n" +
        "names = [name for _, name in socket.if_nameindex()]\n" +
        'print(json.dumps([sys.argv[1:], os.environ["GREETING"], names]))\n',
    );
    const args = ["--rows", "1 000", "", "--no-color", "'\"é\n", "--"];
    const options = ["-f", "p.py", "--env", "GREETING=a b", "--network-isolation"];
    const { code, stdout, stderr } = await app.run(["local", "process", ...options, "--", ...args]);
    assertEquals([code, stderr], [
      0,
      "warning: SageMaker rejects empty arguments in a processing job: argument 5\n" +
      "hint: Remove these arguments\n" +
      "warning: SageMaker rejects arguments with line breaks in a processing job: argument 7\n" +
      "hint: Move values to a file in the input, or to an environment variable\n",
    ]);
    assertEquals(JSON.parse(stdout), [args, "a b", ["lo"]]);
  });
});
