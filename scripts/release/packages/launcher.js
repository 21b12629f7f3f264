#!/usr/bin/env node
// Starts the mlcli that npm installed for this system, and ends as it ends.
"use strict";
const { spawn } = require("node:child_process");
const { closeSync, openSync } = require("node:fs");

const { platform, arch } = process;
const name = `${require("../package.json").name}-${platform}-${arch}`;

/** Whether there is a terminal. It sends Ctrl-C to mlcli, too; a second one would end mlcli at once. */
function hasTerminal() {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}

/** Says why mlcli cannot start. */
function fail() {
  const isMusl = platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
  process.stderr.write(
    isMusl
      ? `error: mlcli needs glibc 2.27 or later, but this system has musl
hint: Use a system with glibc, such as the image node:22-slim instead of node:22-alpine\n`
      : `error: The package ${name}, with mlcli for this system, is not installed or does not start
hint: Install again, without --omit=optional; on Linux, mlcli needs glibc 2.27 or later\n`,
  );
  process.exitCode = 1;
}

function start(program) {
  const handed = hasTerminal() ? ["SIGTERM"] : ["SIGTERM", "SIGINT", "SIGHUP"];
  // Set before mlcli starts, so that no signal ends this program alone. Node calls them afterwards.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    process.on(signal, () => handed.includes(signal) && child.kill(signal));
  }
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  child.on("error", fail);
  child.on("exit", (code, signal) => {
    if (signal === null) return void (process.exitCode = code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

let program;
try {
  program = require.resolve(`${name}/bin/mlcli${platform === "win32" ? ".exe" : ""}`);
} catch {
  fail();
}
if (program !== undefined) start(program);
