import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const INSTALL = fromFileUrl(new URL("../../../runtime/harness/install", import.meta.url));

/** Somebody whom the file says nothing to. */
const UID = 54_321;

// Windows has neither the shell nor the users.
if (Deno.build.os !== "windows") {
  suite("the installation in an image", () => {
    it("fails where it may not read what to install, and does not go without", async () => {
      await using directory = await makeDirectory({
        "requirements.txt": "a-package\n",
        // Has all that it is asked for: nothing is installed on this machine.
        "bin/python3": "#!/bin/sh\nexit 0\n",
        "install": await Deno.readTextFile(INSTALL),
      });
      const requirements = join(directory.path, "requirements.txt");
      await Deno.chmod(directory.path, 0o755);
      await Deno.chmod(join(directory.path, "bin"), 0o755);
      await Deno.chmod(join(directory.path, "bin/python3"), 0o755);
      await Deno.chmod(join(directory.path, "install"), 0o644);
      await Deno.chmod(requirements, 0);
      const isRoot = Deno.uid() === 0;
      const command = ["sh", join(directory.path, "install"), requirements];
      const as = ["setpriv", `--reuid=${UID}`, `--regid=${UID}`, "--clear-groups", "--"];
      const [program, ...args] = isRoot ? [...as, ...command] : command;
      const { code, stderr } = await new Deno.Command(program!, {
        args,
        env: { PATH: `${join(directory.path, "bin")}:${Deno.env.get("PATH")}` },
      }).output();
      assertEquals([code, new TextDecoder().decode(stderr)], [
        1,
        `mlcli: user ${isRoot ? UID : Deno.uid()} of the image cannot read ${requirements}: ` +
        "run chmod go+r on the file that it is copied from\n",
      ]);
    });
  });
}
