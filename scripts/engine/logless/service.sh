#!/bin/sh
# A Docker Engine whose default log driver cannot be read, for the tests. Everything that it keeps lies
# in the directory named first; the other arguments are dockerd's, which choose the driver. Runs in
# namespaces of its own, which ../service.ts makes.
set -eu
directory=$1
shift

mount -t tmpfs tmpfs /run # sockets and states of dockerd, containerd and runc
ip link set lo up
echo '{}' >"$directory/daemon.json" # not the machine's

# Not the last command, or it would replace the shell, which has to wait for orphans.
dockerd --config-file="$directory/daemon.json" --data-root="$directory/data" \
  --exec-root=/run/docker --pidfile=/run/docker.pid --group=root --log-level=warn \
  --host="unix://$directory/engine.sock" "$@"
exit $?
