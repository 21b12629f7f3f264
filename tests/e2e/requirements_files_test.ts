import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { runToEnd } from "../helpers/container.ts";
import { baseImage, pipImage, removeImage } from "../helpers/engine.ts";
import { makeWheel } from "../helpers/package_index.ts";
import { it, suite } from "../helpers/suite.ts";

/** A project that pip builds without a network: it is its own build backend, and needs no other. */
function projectOf(name: string): Readonly<Record<string, string>> {
  return {
    "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\n' +
      `backend-path = ["."]\n[project]\nname = "${name}"\nversion = "1"\n`,
    [`${name}.py`]: "",
    "backend.py": `
import os, zipfile

def build_wheel(directory, config_settings=None, metadata_directory=None):
    return pack(directory, {"${name}.py": ""})

def build_editable(directory, config_settings=None, metadata_directory=None):
    return pack(directory, {"${name}.pth": os.getcwd()})

def pack(directory, files):
    # As setuptools does, which leaves build/ and NAME.egg-info there.
    open("left_by_build", "w").close()
    info = "${name}-1.dist-info/"
    files[info + "METADATA"] = "Metadata-Version: 2.1\\nName: ${name}\\nVersion: 1\\n"
    files[info + "WHEEL"] = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    files[info + "RECORD"] = ""
    with zipfile.ZipFile(os.path.join(directory, "${name}-1-py3-none-any.whl"), "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return "${name}-1-py3-none-any.whl"
`,
  };
}

/** As PowerShell's `pip freeze > FILE` writes it. */
function utf16(text: string): Uint8Array {
  return new Uint8Array(
    new Uint16Array([0xfeff, ...Array.from(text, (one) => one.charCodeAt(0))]).buffer,
  );
}

async function appOfManyFiles(dockerfile?: string): Promise<TestApp> {
  const app = await makeApp({
    configuration: { requirements: "deps/prod.txt", base_image: pipImage() },
  });
  await app.run(["init", app.name]);
  const write = (path: string, content: string | Uint8Array) =>
    app.write(join(app.directory, path), content);
  if (dockerfile !== undefined) await app.write(app.path("Dockerfile"), dockerfile);
  const lines = ["-r nested/base.txt", "-c constraints.txt", "--no-index", "--find-links wheels"];
  lines.push("./vendor/direct-1-py3-none-any.whl", "./libs/built", "-e ./libs/edited", "found");
  await write("deps/prod.txt", lines.join("\n"));
  await write("deps/nested/base.txt", utf16("nested # from wheels/\r\n"));
  await write("deps/constraints.txt", "found<2\n");
  for (const name of ["built", "edited"]) {
    for (const [path, text] of Object.entries(projectOf(name))) {
      await write(`libs/${name}/${path}`, text);
    }
  }
  const wheels = [["wheels", "found", "1"], ["wheels", "found", "2"], ["wheels", "nested", "1"]];
  for (const [folder, name, version] of [...wheels, ["vendor", "direct", "1"]]) {
    const wheel = await makeWheel(name!, version!);
    await write(`${folder}/${wheel.name}`, wheel.bytes);
  }
  return app;
}

/** What the image imports, and the version of `found`. */
async function importedIn(reference: string): Promise<string> {
  const { log } = await runToEnd({
    Image: reference,
    Entrypoint: ["python3", "-c"],
    Cmd: [
      "import built, direct, edited, nested, found; from importlib.metadata import version; " +
      "print(version('found'), edited.__file__)",
    ],
    Labels: {},
    HostConfig: { AutoRemove: false, NetworkMode: "none", Mounts: [] },
  });
  return log.trim();
}

suite("requirements files that refer to other files", () => {
  it("installs nested files, constraints, wheels and projects without a network", async () => {
    await using app = await appOfManyFiles();
    const reference = `${app.name}:latest`;
    try {
      const { code, stderr } = await app.run(["build"]);
      assertEquals(code, 0, stderr);
      assertEquals(
        await importedIn(reference),
        "1 /opt/mlcli/requirements.txt/libs/edited/edited.py",
      );
    } finally {
      await removeImage(reference);
    }
  });

  it("installs them as a user who may not write to what COPY made", async () => {
    const dockerfile = [
      ...["ARG BASE_IMAGE", "FROM ${BASE_IMAGE}", "ARG REQUIREMENTS"],
      "RUN mkdir -m 777 /home/model",
      ...["ENV HOME=/home/model", "USER 12345"],
      "COPY .mlcli/install .mlcli/installed.py /opt/mlcli/",
      "COPY ${REQUIREMENTS} /opt/mlcli/requirements.txt",
      "RUN /opt/mlcli/install /opt/mlcli/requirements.txt",
    ].join("\n");
    await using app = await appOfManyFiles(dockerfile);
    const reference = `${app.name}:latest`;
    try {
      const { code, stderr } = await app.run(["build"]);
      assertEquals(code, 0, stderr);
      const edited = "/home/model/.local/mlcli-requirements/libs/edited/edited.py";
      assertEquals(await importedIn(reference), `1 ${edited}`);
    } finally {
      await removeImage(reference);
    }
  });

  it("checks them against what a base image without pip has", async () => {
    await using app = await makeApp({
      configuration: { base_image: baseImage() },
      files: {
        "Dockerfile": "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\nARG REQUIREMENTS\n" +
          "COPY .mlcli/install .mlcli/installed.py /opt/mlcli/\n" +
          "COPY ${REQUIREMENTS} /opt/mlcli/requirements.txt\n" +
          "RUN /opt/mlcli/install /opt/mlcli/requirements.txt\n",
        "../../requirements.txt": "-r base.txt\n-c constraints.txt\n",
      },
    });
    const write = (name: string, content: string | Uint8Array) =>
      app.write(join(app.directory, name), content);
    await write("base.txt", utf16("gunicorn --hash=sha256:0\r\n"));
    await write("constraints.txt", "gunicorn<28\nno-such-package<1\n");
    try {
      const met = await app.run(["build"]);
      assertEquals(met.code, 0, met.stderr);
      await write("constraints.txt", "gunicorn<1\n");
      const unmet = await app.run(["build"]);
      assertEquals(unmet.code, 1);
      assertMatch(unmet.stderr, /mlcli: -c gunicorn<1: is installed as \d/);
    } finally {
      await removeImage(`${app.name}:latest`);
    }
  });
});
