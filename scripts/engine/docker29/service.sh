#!/bin/sh
# Today's Docker Engine, for the tests: the programs lie in the directory named second, everything
# that it keeps in the one named first. Runs in namespaces of its own (network, mounts, processes),
# which ../service.ts makes.
set -eu
directory=$1
programs=$2

# dockerd, containerd and runc keep sockets and states there.
mount -t tmpfs tmpfs /run
ip link set lo up
echo '{}' >"$directory/daemon.json" # not the machine's

# Not the last command, or it would replace the shell, which has to wait for orphans.
PATH=$programs:$PATH dockerd --config-file="$directory/daemon.json" --data-root="$directory/data" \
  --exec-root=/run/docker --pidfile=/run/docker.pid --group=root --log-level=warn \
  --host="unix://$directory/engine.sock"
exit $?
