import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { copyImage } from "../../scripts/engine/copy_image.ts";
import { withService } from "../../scripts/engine/service.ts";
import { makeApp, TRAINING_DATA } from "../helpers/app.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { buildTestImage, TEST_IMAGE, withEngine } from "../helpers/engine.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

const SCRIPT = fromFileUrl(
  new URL("../../scripts/engine/elsewhere/service.sh", import.meta.url),
);

// Both succeed with an empty directory, too.
const TRAINING = `
import os
def train(input_data_path, model_save_path): print(len(os.listdir(input_data_path)))
`;
const PROCESSING = `
import os
print(len(os.listdir("/opt/ml/processing/input")))
`;

suite("an engine that does not see some directories", () => {
  beforeAll(buildTestImage);

  it("gets no container that would find them empty, and all others run", async () => {
    // https://github.com/abiosoft/colima/issues/1051: a bind mount of a directory on another volume
    // that is empty in the container, though not on the machine, and no error.
    await using data = await makeDirectory({ "a.csv": "1\n" });
    await using app = await makeApp({
      configuration: { image_name: TEST_IMAGE },
      files: {
        [TRAINING_DATA]: "1\n",
        "training/training.py": TRAINING,
        "processing/p.py": PROCESSING,
        "prediction/serve": "def model_fn(model_dir): return 1\n",
        "local_test/test_dir/model/m": "1",
      },
    });
    const signal = AbortSignal.timeout(120_000);
    const service = {
      name: "an engine elsewhere",
      script: SCRIPT,
      arguments: [data.path, app.path("prediction")],
      parent: "/var/tmp",
    };
    await withService(service, signal, async ({ host }) => {
      const { address } = await withEngine((engine) => Promise.resolve(engine));
      await copyImage(TEST_IMAGE, address, host, signal);
      const run = async (...args: readonly string[]) => {
        const { code, stdout, stderr } = await app.run(["local", ...args], {
          env: { DOCKER_HOST: host },
        });
        return { code, stdout, stderr: code === 0 ? "" : stderr };
      };
      const failed = (path: string) => ({
        code: 1,
        stdout: "",
        stderr: `error: The Docker Engine does not see ${path}\n` +
          "hint: Run mlcli where the engine runs (elsewhere), or use an engine on this machine. In " +
          "a dev container or with Docker-in-Docker, the engine's machine must have " +
          `${path.replace(/\/[^/]+\/mlcli_base.*/, "")} at the same path.\n`,
      });
      assertEquals(await run("train", "--input", `training=${data.path}`), failed(data.path));
      assertEquals(await run("process", "-f", "p.py", "--input", data.path), failed(data.path));
      const code = await Deno.realPath(app.path("prediction"));
      assertEquals(await run("deploy", "--port", "0"), failed(code));
      assertEquals(await run("train"), { code: 0, stdout: "1\n", stderr: "" });
    });
  });
});
