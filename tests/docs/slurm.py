# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts a Slurm of one node for tests, with its own munge, ports, folder and configuration; leaves nothing behind."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

import tap

DAEMONS = ("munged", "slurmctld", "slurmd")
CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MaxArraySize={array}
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def program(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def why_not():
    """Why no Slurm can be started here; empty if one can"""
    missing = [name for name in DAEMONS + ("sbatch", "squeue") if not program(name)]
    if missing:
        return f"{', '.join(missing)} not installed (Debian: slurmctld, slurmd, slurm-client, munge)"
    return "" if os.geteuid() == 0 else "Slurm's daemons need root"


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Slurm:
    """with Slurm () as slurm: ...; arrays are limited to this many numbers"""

    def __init__(self, array=1001):
        self.array, self.daemons = array, []
        # munge requires that all folders above its socket are safe, and the socket is reachable
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm"))

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        self.folder.chmod(0o755)
        for name in ("munge", "state", "spool"):
            (self.folder / name).mkdir(mode=0o700)
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        host = socket.gethostname().split(".")[0]
        self.configuration = self.folder / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(host=host, folder=self.folder, controller_port=free_port(),
                                                           node_port=free_port(), array=self.array, processors=os.cpu_count()))
        os.environ["SLURM_CONF"] = str(self.configuration)
        munge = self.folder / "munge"
        self.daemon("munged", "--foreground", "--force", f"--socket={self.folder}/munge.sock", f"--key-file={key}", f"--log-file={munge}/log",
                    f"--pid-file={munge}/pid", f"--seed-file={munge}/seed")
        self.wait(lambda: (self.folder / "munge.sock").exists())
        self.daemon("slurmctld", "-D", "-f", self.configuration)
        self.daemon("slurmd", "-D", "-f", self.configuration)
        self.wait(lambda: "idle" in self.ask("sinfo", "--noheader", "--format=%t"))

    def daemon(self, name, *words):
        log = open(self.folder / f"{name}.out", "wb")
        self.daemons.append(subprocess.Popen([program(name), *map(str, words)], stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def wait(self, ready, seconds=60):
        def has_died():
            return any(daemon.poll() is not None for daemon in self.daemons)
        if not tap.wait_for(lambda: ready() or has_died(), seconds) or has_died():
            logs = [path for kind in ("log", "out") for path in self.folder.glob(f"*.{kind}")]
            said = [f"{path.name}: {path.read_text(errors='replace')[-500:]}" for path in logs]
            raise RuntimeError("Slurm does not start\n" + "\n".join(said))

    @staticmethod
    def ask(*words):
        return tap.run(words, timeout=60)[1]

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
            tap.end(daemon, 20)
        os.environ.pop("SLURM_CONF", None)
        shutil.rmtree(self.folder, ignore_errors=True)
