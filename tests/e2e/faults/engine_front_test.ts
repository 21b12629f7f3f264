import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, TRAINING_DATA } from "../../helpers/app.ts";
import { buildTestImage, removeImage, TEST_IMAGE } from "../../helpers/engine.ts";
import { engineFront, type Fate } from "../../helpers/engine_front.ts";
import { beforeAll, it, suite } from "../../helpers/suite.ts";

const CODE = `
def train(input_data_path, model_save_path):
    open(model_save_path + "/m", "w").write("trained")
    print("trained")
`;

suite("a front before the engine", () => {
  beforeAll(buildTestImage);

  it("lets a whole training pass, and sees its calls", async () => {
    await using front = await engineFront(() => "pass");
    await using app = await makeApp({
      configuration: { image_name: TEST_IMAGE },
      files: { "training/training.py": CODE, [TRAINING_DATA]: "1\n" },
    });
    const { code, stdout, stderr } = await app.run(["local", "train"], { env: front.env });
    assertEquals([code, stdout], [0, "trained\n"], stderr);
    assertEquals(await Deno.readTextFile(app.testPath("model/m")), "trained");
    assertEquals(front.calls.filter((call) => call === "POST /containers/create").length, 1);
  });

  it("lets a whole build pass", async () => {
    await using front = await engineFront(() => "pass");
    await using app = await makeApp({
      configuration: { image_name: "mlcli-test-front" },
      files: { Dockerfile: `FROM ${TEST_IMAGE}\n`, "../../requirements.txt": "" },
    });
    try {
      const { code, stderr } = await app.run(["build"], { env: front.env });
      assertEquals(code, 0, stderr);
    } finally {
      await removeImage("mlcli-test-front:latest");
    }
  });

  for (
    const [name, fate] of Object.entries<Fate>({
      "cut before the call": "cut before the call",
      "cut before the answer": "cut before the answer",
      "cut in the head": "cut in the head",
      "cut in the body": "cut in the body",
      "an answer in its place": { answer: { status: 500, body: '{"message":"no"}' } },
    })
  ) {
    it(`makes a call fail: ${name}`, async () => {
      await using front = await engineFront(({ call }) =>
        call === "GET /containers/json" ? fate : "pass"
      );
      await using app = await makeApp();
      const { code, stdout, stderr } = await app.run(["local", "status"], { env: front.env });
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, /^error: The Docker Engine /);
    });
  }
});
