import { assertEquals, assertStringIncludes } from "@std/assert";
import { enablingHint, studioAt, studioBody } from "../../../runtime/docker/studio.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const JUPYTER = { appType: "JupyterLab", domainId: undefined };

suite("studioAt", () => {
  for (
    const [title, text, studio] of [
      ["an app of JupyterLab", '{"AppType":"JupyterLab"}', JUPYTER],
      [
        "Code Editor, and its domain",
        '{"AppType":"CodeEditor","DomainId":"d-0a1b"}',
        { appType: "CodeEditor", domainId: "d-0a1b" },
      ],
      [
        "a classic notebook's kernel",
        '{"AppType":"KernelGateway"}',
        { appType: "KernelGateway", domainId: undefined },
      ],
      ["a domain that is none", '{"AppType":"JupyterLab","DomainId":"d-1; rm"}', JUPYTER],
      ["a notebook instance", '{"ResourceName":"mine"}', undefined],
      ["another app", '{"AppType":"Canvas"}', undefined],
      ["no object", "[]", undefined],
      ["no JSON", "{", undefined],
      ["no file", undefined, undefined],
    ] as const
  ) {
    it(`knows ${title}`, async () => {
      const file = "opt/ml/metadata/resource-metadata.json";
      await using root = await makeDirectory(text === undefined ? {} : { [file]: text });
      assertEquals(studioAt(root.path), studio);
    });
  }

  it("the hint names the domain where it is known", () => {
    assertStringIncludes(enablingHint({ appType: "", domainId: "d-1" }), "--domain-id d-1 ");
    assertStringIncludes(
      enablingHint({ appType: "", domainId: undefined }),
      "--domain-id DOMAIN_ID ",
    );
  });
});

suite("studioBody", () => {
  const published = { "8080/tcp": [{ HostIp: "127.0.0.1", HostPort: "9000" }] };
  for (
    const [what, ports, env, listens] of [
      ["a server", { PortBindings: published }, ["SAGEMAKER_BIND_TO_PORT=9000"], "9000"],
      ["anything else", {}, [], ""],
    ] as const
  ) {
    it(`puts ${what} on the space's network, with nothing of its own there`, () => {
      const container = {
        Image: "demo:v1",
        // As a user may name a port, too.
        Env: ["A=1", ...listens ? ["SAGEMAKER_BIND_TO_PORT=7000"] : []],
        Hostname: "algo-1",
        Labels: { "mlcli.app": "demo" },
        ExposedPorts: { "8080/tcp": {} },
        HostConfig: {
          ...{ AutoRemove: true, NetworkMode: "none", ExtraHosts: ["algo-1:127.0.0.1"] },
          ...ports,
        },
      };
      assertEquals<unknown>(studioBody(container), {
        Image: "demo:v1",
        Env: ["A=1", "SM_STUDIO_LOCAL_MODE=True", ...env],
        Labels: { "mlcli.app": "demo", "mlcli.listens": listens },
        HostConfig: { AutoRemove: true, NetworkMode: "sagemaker" },
      });
    });
  }
});
