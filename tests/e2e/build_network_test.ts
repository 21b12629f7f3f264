import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp } from "../helpers/app.ts";
import { Authority } from "../helpers/certificates.ts";
import { runToEnd } from "../helpers/container.ts";
import { baseImage, buildImage, engineRequest, pipImage, removeImage } from "../helpers/engine.ts";
import { foundIn } from "../helpers/found_in_image.ts";
import { makeWheel, PackageIndex } from "../helpers/package_index.ts";
import { FakeProxy } from "../helpers/proxy.ts";
import { it, suite } from "../helpers/suite.ts";

const HOST = "packages.invalid";
const INDEX_LOGIN = "reader:index-secret-4711";
const PROXY_LOGIN = "walker:proxy-secret-0815";

/** The address of this machine in the engine's network: steps of a build reach it there. */
async function gateway(): Promise<string> {
  const { IPAM } = JSON.parse(await engineRequest("GET", "/networks/bridge", [200]));
  const [{ Gateway, Subnet }] = IPAM.Config;
  // Engines that were not told one take the first address, and do not say so.
  return Gateway ?? Subnet.replace(/\.0\/\d+$/, ".1");
}

suite("mlcli build in a company's network", () => {
  it("installs by its index, proxy and certificate, and no layer has any of them", async () => {
    await using authority = await Authority.make();
    const wheels = await Promise.all(
      // Only a base image without gunicorn asks for the second.
      [["mlcli_probe", "1.0"], ["gunicorn", "23.0"]].map(([name, version]) =>
        makeWheel(name!, version!)
      ),
    );
    await using index = new PackageIndex(await authority.certify(HOST), INDEX_LOGIN, wheels);
    await using proxy = new FakeProxy({ hostname: await gateway(), tunnel: index.port });
    await using app = await makeApp();
    const reference = `${app.name}:latest`;
    const env = {
      PIP_CONFIG_FILE: "/dev/null",
      PIP_INDEX_URL: `https://${INDEX_LOGIN}@${HOST}/simple`,
      PIP_CERT: authority.file,
      PIP_RETRIES: "0",
      HTTPS_PROXY: `http://${PROXY_LOGIN}@${proxy.host}`,
      // Of whoever runs the tests.
      ...Object.fromEntries(
        ["https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"].map((
          name,
        ) => [name, ""]),
      ),
    };
    assertEquals((await app.run(["init", app.name])).code, 0);
    await app.write(`${app.directory}/requirements.txt`, "mlcli-probe==1.0\n");
    const build = async (more: Readonly<Record<string, string>> = {}) => {
      const args = ["build", "--base-image", pipImage()];
      const { code, stderr } = await app.run(args, { env: { ...env, ...more } });
      assertEquals(code, 0, stderr);
      return stderr;
    };
    try {
      const said = await build();
      assertStringIncludes(said, "Successfully installed mlcli-probe-1.0");
      assertStringIncludes(
        said,
        "note: Build steps can mount the credentials in PIP_INDEX_URL and HTTPS_PROXY, ",
      );
      assertEquals(said.includes("secret-"), false, said);
      assert(index.requests.includes(`/simple/mlcli-probe/ ${INDEX_LOGIN}`), `${index.requests}`);
      assertStringIncludes(
        proxy.heads[0]!,
        `Proxy-Authorization: Basic ${btoa(PROXY_LOGIN)}`,
      );

      const certificate = (await Deno.readTextFile(authority.file)).split("\n").slice(1, -2);
      const secrets = ["index-secret-4711", "proxy-secret-0815", certificate[1]!, HOST];
      // What is in it is found.
      assertEquals(await foundIn(reference, ["mlcli_probe-1.0.dist-info", ...secrets]), [
        "mlcli_probe-1.0.dist-info",
      ]);
      const history = await engineRequest(
        "GET",
        `/images/${encodeURIComponent(reference)}/history`,
        [200],
      );
      for (const secret of secrets) assertEquals(history.includes(secret), false, history);
      const { status, log } = await runToEnd({
        Image: reference,
        Entrypoint: ["sh"],
        Cmd: ["-c", "ls -A /run/mlcli-build /tmp; env | grep -i -e pip -e proxy"],
        Labels: {},
        HostConfig: { AutoRemove: false, NetworkMode: "none", Mounts: [] },
      });
      assertEquals([status, log.replaceAll(/\/(run\/mlcli-build|tmp):\n|\n/g, "")], [1, ""]);

      // The same settings are the same step; others are another.
      const asked = index.requests.length;
      assertMatch(await build(), /install .*cached/i);
      assertEquals(index.requests.length, asked);
      await app.write(
        `${app.directory}/logins`,
        `machine ${HOST} login reader password ${INDEX_LOGIN.split(":")[1]}\n`,
      );
      await build({ PIP_INDEX_URL: `https://${HOST}/simple`, NETRC: `${app.directory}/logins` });
      assert(index.requests.length > asked, "another setting asks again");
      assertStringIncludes(index.requests.at(-1)!, ` ${INDEX_LOGIN}`);
    } finally {
      await removeImage(reference);
    }
  });
});

suite("a password of a package index", () => {
  const SECRET = "index-secret-4712";

  it("gets into no layer where a base image copies the context (ONBUILD)", async () => {
    await using app = await makeApp();
    const reference = `${app.name}:latest`;
    const base = `${app.name}-base:latest`;
    try {
      const Dockerfile = `FROM ${baseImage()}\nONBUILD COPY . /usr/src/app\n`;
      await buildImage(base, { Dockerfile });
      assertEquals((await app.run(["init", app.name])).code, 0);
      await app.write(
        app.path("Dockerfile"),
        `FROM ${base} AS first\nFROM first\n` +
          "RUN --mount=type=bind,source=.mlcli-build,target=/run/mlcli-build true\n",
      );
      const { code, stderr } = await app.run(["build"], {
        env: { PIP_INDEX_URL: `https://reader:${SECRET}@${HOST}/simple` },
      });
      assertEquals(code, 0, stderr);
      // The context was copied, and the settings were not in it.
      const found = await foundIn(reference, ["usr/src/app/.mlcli/entrypoint", SECRET]);
      assertEquals(found, ["usr/src/app/.mlcli/entrypoint"]);
      const expected = `${base} copies . (ONBUILD), which would put them into the image`;
      assertStringIncludes(stderr.replaceAll(/\s+/g, " "), expected);
      assertEquals(stderr.includes("note: The password"), false, stderr);
    } finally {
      await removeImage(reference);
      await removeImage(base);
    }
  });
});
