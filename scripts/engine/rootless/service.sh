#!/bin/sh
# A rootless engine of a user of its own, for the tests: the directory that keeps everything, the user's
# number, and `docker` or `podman`. Runs in namespaces of its own, which ../service.ts makes.
set -eu
directory=$1
user=$2
engine=$3

# A copy of /etc has the user, and those that containers are given.
mount -t tmpfs tmpfs /run
mkdir /run/etc /run/etc/new /run/etc/work
mount -t overlay overlay -o lowerdir=/etc,upperdir=/run/etc/new,workdir=/run/etc/work /etc
echo "mlcli-rootless:x:$user:$user::$directory/home:/bin/sh" >>/etc/passwd
echo "mlcli-rootless:x:$user:" >>/etc/group
echo 'mlcli-rootless:300000:65536' >/etc/subuid
cp /etc/subuid /etc/subgid

# What udev lets every user open; not every machine has udev.
mknod -m 666 /run/tun c 10 200
mount --bind /run/tun /dev/net/tun
mount -t tmpfs -o mode=1777 tmpfs /dev/shm # Podman's locks
# The engine makes namespaces of its own below this one's mounts.
mount --make-rshared /
ip link set lo up

mkdir -p "$directory/home" /run/lock "/run/user/$user"
chown "$user:$user" "$directory" "$directory/home" "/run/user/$user"
cd "$directory/home"

# as_user COMMAND...: with nothing of root's.
as_user() {
  setpriv --reuid="$user" --regid="$user" --clear-groups \
    env -i PATH="/usr/sbin:/usr/bin:/sbin:/bin:/usr/share/docker.io/contrib" \
    HOME="$directory/home" XDG_RUNTIME_DIR="/run/user/$user" "$@"
}

# Not the last command, or it would replace the shell, which has to wait for orphans.
case $engine in
  docker)
    as_user dockerd-rootless.sh --data-root="$directory/data" --log-level=warn \
      --host="unix://$directory/engine.sock"
    ;;
  podman)
    # vfs, its own choice here, copies all of an image for each container. Caches of builds lie in
    # TMPDIR: in /var/tmp, they may be those of root's Podman.
    as_user TMPDIR="$directory/home" podman --storage-driver=overlay --cgroup-manager=cgroupfs \
      --events-backend=file system service --time=0 "unix://$directory/engine.sock"
    ;;
esac
exit $?
