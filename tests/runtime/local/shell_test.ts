import { assertEquals } from "@std/assert";
import type { CreateBody, Mount } from "../../../runtime/docker/engine.ts";
import { shellPlan } from "../../../runtime/local/shell.ts";
import { it, suite } from "../../helpers/suite.ts";

const CODE: Mount = { Type: "bind", Source: "/code", Target: "/opt/ml/code", ReadOnly: true };
const MODEL: Mount = { Type: "bind", Source: "/m", Target: "/opt/ml/model", ReadOnly: false };

const BODY: CreateBody = {
  Image: "demo:v1",
  Cmd: ["serve"],
  Env: ["A=1"],
  Labels: { "mlcli.app": "demo" },
  HostConfig: { AutoRemove: false, Memory: 1, Mounts: [CODE, MODEL] },
};

suite("the plan of a shell", () => {
  it("is that of the code with another program, and is gone at its end", () => {
    assertEquals(shellPlan(BODY, ["python3", "-c", "print(1)"]), {
      ...BODY,
      Entrypoint: ["python3"],
      Cmd: ["-c", "print(1)"],
      WorkingDir: "/opt/ml/code",
      HostConfig: { ...BODY.HostConfig, AutoRemove: true, LogConfig: { Type: "none" } },
    });
  });

  it("is a shell where no program is named", () => {
    const { Entrypoint, Cmd } = shellPlan(BODY, []);
    assertEquals([Entrypoint, Cmd[0]], [["/bin/sh"], "-c"]);
  });

  it("stays in the image's directory where no code is mounted", () => {
    const body = { ...BODY, HostConfig: { ...BODY.HostConfig, Mounts: [MODEL] } };
    assertEquals(shellPlan(body, []).WorkingDir, undefined);
  });
});
