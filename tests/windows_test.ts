import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { it, suite } from "./helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));

suite("on Windows", () => {
  it("this machine's paths are Windows', and those in containers, images and rules are not", async () => {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--no-check", "tests/helpers/as_windows.ts"],
      cwd: ROOT,
    }).output();
    assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
    const test = "C:\\Users\\me\\demo\\mlcli_base\\local_test\\test_dir";
    assertEquals(JSON.parse(new TextDecoder().decode(stdout)), {
      mounts: [
        ["C:\\Users\\me\\demo\\mlcli_base\\training", "/opt/ml/code"],
        ["C:\\Temp\\report", "/opt/mlcli/report"],
        ["C:\\Temp\\input", "/opt/ml/input"],
        [`${test}\\model`, "/opt/ml/model"],
        [`${test}\\output`, "/opt/ml/output"],
        [`${test}\\checkpoints`, "/opt/ml/checkpoints"],
      ],
      variables: [],
      ignored: ["demo/notes/a", "logs/a.txt"],
      configuration: "C:\\Users\\me\\.docker",
    });
  });
});
