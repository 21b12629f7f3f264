import { assertEquals } from "@std/assert";
import { importMap } from "../../scripts/sdk_bundle.ts";
import { it, suite } from "../helpers/suite.ts";

suite("importMap", () => {
  it("replaces the SDK's packages, and spells out what deno.json implies", () => {
    const imports = {
      "@aws-sdk/client-sagemaker": "npm:@aws-sdk/client-sagemaker@3.1.0",
      "@aws-sdk/credential-providers": "npm:@aws-sdk/credential-providers@3.2.0",
      "@std/path": "jsr:@std/path@^1.1.0",
      "tar-stream": "npm:tar-stream@3.2.2",
    };
    assertEquals(importMap(imports, "/dist/sdk.js"), {
      imports: {
        "@aws-sdk/client-sagemaker": "file:///dist/sdk.js",
        "@aws-sdk/credential-providers": "file:///dist/sdk.js",
        "@std/path": "jsr:@std/path@^1.1.0",
        "@std/path/": "jsr:/@std/path@^1.1.0/",
        "tar-stream": "npm:tar-stream@3.2.2",
        "tar-stream/": "npm:/tar-stream@3.2.2/",
      },
    });
  });
});
