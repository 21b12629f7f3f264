import { assertEquals } from "@std/assert";
import {
  entryPaths,
  entryPointDifference,
  namesProgram,
  onPath,
} from "../../../runtime/contract/entry_point.ts";
import { it, suite } from "../../helpers/suite.ts";

const PATH = ["PATH=/usr/local/bin:/bin"];
const DIRECTORY = "/opt/program";

suite("what an image's entry point runs", () => {
  const rows: readonly (readonly [entryPoint: readonly string[], found: unknown])[] = [
    [[], { paths: [], runBy: "the system" }],
    [["/start.sh"], { paths: ["/start.sh"], runBy: "the system" }],
    [["./start.sh"], { paths: ["/opt/program/start.sh"], runBy: "the system" }],
    [["start"], { paths: ["/usr/local/bin/start", "/bin/start"], runBy: "the system" }],
    [["tini", "-g", "--", "/start.sh"], { paths: ["/start.sh"], runBy: "the system" }],
    [["tini", "--"], { paths: [], runBy: "the system" }],
    [["bash", "-m", "/x/start.sh"], { paths: ["/x/start.sh"], runBy: "its shell" }],
    [["bash", "-m", "start.sh"], {
      paths: ["/opt/program/start.sh", "/usr/local/bin/start.sh", "/bin/start.sh"],
      runBy: "its shell",
    }],
    [["sh", "-o", "pipefail", "/x.sh"], { paths: ["/x.sh"], runBy: "its shell" }],
    [["sh", "-c", "python /x.py"], { paths: [], runBy: "its shell" }],
  ];
  for (const [Entrypoint, found] of rows) {
    it(JSON.stringify(Entrypoint), () => {
      assertEquals(entryPaths({ Entrypoint, Env: PATH, WorkingDir: DIRECTORY }), found as never);
    });
  }

  it("is nothing of its own where an init stands alone", () => {
    const named = [["tini", "--"], [], undefined, ["tini", "--", "/x"], ["/x"]]
      .map((Entrypoint) => namesProgram(Entrypoint ? { Entrypoint } : {}));
    assertEquals(named, [false, false, false, true, true]);
  });

  it("is looked for in PATH: the image's, else the usual one, from the working directory", () => {
    assertEquals(onPath({ Env: ["PATH=/a//:b:"], WorkingDir: "/w" }, "train"), [
      "/a/train",
      "/w/b/train",
      "/w/train",
    ]);
    assertEquals(onPath({ Env: ["MYPATH=/a"] }, "train")[1], "/usr/local/bin/train");
    assertEquals(onPath({ Env: [`PATH=${"/a:".repeat(1000)}`] }, "train").length, 40);
  });

  it("loses words and SIGTERM where it is a shell's command", () => {
    const said = entryPointDifference("x:1", ["/bin/sh", "-c", "python /x.py"])?.message ?? "";
    assertEquals(
      /drops the arguments train and serve and might not forward SIGTERM/.test(said),
      true,
    );
    assertEquals(entryPointDifference("x:1", ["bash", "-m", "/x.sh"]), undefined);
  });
});
