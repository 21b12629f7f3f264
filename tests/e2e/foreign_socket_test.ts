import { assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { fakeEngine, pong } from "../helpers/fake_engine.ts";
import { otherUser } from "../helpers/other_user.ts";
import { it, suite } from "../helpers/suite.ts";

/** Neither root nor the user who runs the program. */
const STRANGER = 4321;

suite("a socket that another user made in a temporary directory of all", () => {
  it("is not asked, and gets nothing", async () => {
    await using stranger = await fakeEngine({ "GET /_ping": () => pong("1.41") });
    const shared = await Deno.makeTempDir({ prefix: "mlcli-shared-" });
    await Deno.chmod(shared, 0o1777);
    // Root's own engine is not to be found there.
    const within = ["unshare", "--mount", "--", "sh", "-c"];
    const hide = 'mount --bind /dev/null /var/run/docker.sock && exec "$@"';
    await using user = await otherUser({
      within: [...within, hide, "sh"],
      env: { DOCKER_HOST: "", DOCKER_CONTEXT: "", TMPDIR: shared, XDG_RUNTIME_DIR: shared },
    });
    try {
      await Deno.mkdir(join(shared, "podman"));
      const places = [
        "docker.sock",
        "podman/podman.sock",
        "podman/podman-machine-default-api.sock",
      ];
      for (const place of places) await Deno.symlink(stranger.socket, join(shared, place));
      for (const path of [stranger.socket, dirname(stranger.socket), join(shared, "podman")]) {
        await Deno.chmod(path, 0o777);
        await Deno.chown(path, STRANGER, STRANGER);
      }
      const { code, stderr } = await user.run(["local", "status"], user.home);
      assertEquals([code, stranger.requests], [1, []], stderr);
      for (const [rule, place] of [["rootless Docker", places[0]], ["Podman", places[1]]]) {
        assertStringIncludes(stderr, `unix://${shared}/${place} (${rule}): it is another user's`);
      }
      assertEquals(stderr.includes("Podman machine"), false, stderr);
    } finally {
      await Deno.remove(shared, { recursive: true });
    }
  });
});
