import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { copyImage } from "../../scripts/engine/copy_image.ts";
import { withService } from "../../scripts/engine/service.ts";
import { makeApp } from "../helpers/app.ts";
import { buildTestImage, TEST_IMAGE, withEngine } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

const SCRIPT = fromFileUrl(new URL("../../scripts/engine/logless/service.sh", import.meta.url));

const SERVING = `
def model_fn(model_dir):
    print("loaded", flush=True)
    return 1
def predict_fn(data, model):
    raise ValueError("a bad row")
`;

suite("an engine whose default log driver is none", () => {
  beforeAll(buildTestImage);

  it("an engine with the log driver none shows the output and the errors of servers", async () => {
    // https://github.com/testcontainers/testcontainers-java/pull/11497: with the default driver none,
    // reading a container's log fails with 501.
    await using app = await makeApp({
      configuration: { image_name: TEST_IMAGE },
      files: {
        "prediction/serve": SERVING,
        "local_test/test_dir/model/m": "1",
        "../../data/a.csv": "1\n",
      },
    });
    const signal = AbortSignal.timeout(120_000);
    const service = {
      name: "an engine without logs",
      script: SCRIPT,
      arguments: ["--log-driver=none"],
    };
    await withService(service, signal, async ({ host, pid }) => {
      const { address } = await withEngine((engine) => Promise.resolve(engine));
      await copyImage(TEST_IMAGE, address, host, signal);
      const run = (...args: readonly string[]) =>
        app.run(args, {
          env: { DOCKER_HOST: host },
          // Ports of its containers are in its own network.
          within: ["nsenter", `--net=/proc/${pid}/ns/net`, "--"],
        });
      const deployed = await run("local", "deploy", "--port", "8080");
      assertEquals(deployed.code, 0, deployed.stderr);
      const logs = await run("local", "logs");
      assertEquals(logs.code, 0, logs.stderr);
      assertStringIncludes(logs.stdout, "loaded\n");

      const transform = await run("local", "transform", "-i", "data", "--invocation-retries", "0");
      assertEquals(transform.code, 1);
      assertStringIncludes(transform.stderr, "a bad row");

      await app.write(app.path("prediction/serve"), 'raise ValueError("no weights")\n');
      const crashed = await run("local", "deploy", "--port", "0");
      assertEquals(crashed.code, 1);
      assertStringIncludes(crashed.stderr, "ValueError: no weights");

      const doctor = await run("doctor", "--output", "json");
      const checks: readonly { readonly name: string; readonly status: string }[] = JSON.parse(
        doctor.stdout,
      );
      assertEquals(checks.find(({ name }) => name === "log driver")?.status, "warning");
    });
  });
});
