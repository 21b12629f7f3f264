import { assertEquals } from "@std/assert";
import { inOwnProcess } from "../helpers/own_process.ts";
import { MAY_MOUNT } from "../helpers/small_disk.ts";
import { it, suite } from "../helpers/suite.ts";

/** Gives a program a file system of its own that has Studio's file. */
const STUDIO = `
  mount -t tmpfs tmpfs /opt && mkdir -p /opt/ml/metadata &&
  echo '{"AppType":"JupyterLab"}' > /opt/ml/metadata/resource-metadata.json && exec "$@"
`;

if (MAY_MOUNT) {
  suite("a program of the tests, in SageMaker Studio", () => {
    it("does not see that, once outside_studio.ts is loaded", async () => {
      const preload = new URL("../helpers/outside_studio.ts", import.meta.url).href;
      const say = 'console.log(studioAt("/")?.appType);\n';
      const said = await inOwnProcess(`${say}await import(${JSON.stringify(preload)});\n${say}`, {
        imports: { studioAt: "runtime/docker/studio.ts" },
        within: ["unshare", "-m", "sh", "-c", STUDIO, "sh"],
      });
      assertEquals(said, "JupyterLab\nundefined\n");
    });
  });
}
