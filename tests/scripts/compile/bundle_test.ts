import { assertEquals, assertThrows } from "@std/assert";
import { withDeepImports } from "../../../scripts/compile/bundle.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("withDeepImports", () => {
  it("names the files of a client, and leaves everything else", () => {
    const rest = 'export type { X } from "@aws-sdk/client-sagemaker";\n' +
      'export { fromEnv } from "@aws-sdk/credential-provider-env";\n';
    const source = `export {\n  ListEndpointsCommand,\n  SageMakerClient,\n} from ` +
      `"@aws-sdk/client-sagemaker";\n${rest}`;
    assertEquals(
      withDeepImports(source),
      "export { ListEndpointsCommand } from " +
        '"@aws-sdk/client-sagemaker/dist-es/commands/ListEndpointsCommand.js";\n' +
        'export { SageMakerClient } from "@aws-sdk/client-sagemaker/dist-es/SageMakerClient.js";\n' +
        rest,
    );
  });

  it("fails where there is no client", () => {
    assertThrows(() => withDeepImports('import "x";'), Error, "no client");
  });
});
