import { assertEquals, assertStringIncludes } from "@std/assert";
import { enablingHint, studioAt } from "../../../runtime/docker/studio.ts";
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
