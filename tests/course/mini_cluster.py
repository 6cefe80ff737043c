"""A real Slurm cluster of two nodes on this machine, with folders, keys and ports of its own, while a test runs."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")
SECONDS_START = 60
CONFIG = """
ClusterName=a2
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port[0]}
SlurmUser=root
MailProg=/bin/true
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=bf_interval=1,sched_interval=2,batch_sched_delay=0
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
KillWait=5
BatchStartTimeout=300
MessageTimeout=60
SlurmdTimeout=0
UnkillableStepTimeout=300
GresTypes=gpu
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={port[1]} CPUs=2
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={port[2]} CPUs=1 Gres=gpu:1
PartitionName=plain Nodes=n1 Default=YES
PartitionName=all Nodes=n1,n2
"""


def why_not():
    """Why no cluster can be made here; empty if one can."""
    missing = [name for name in PROGRAMS if not where(name)]
    if missing:
        return f"there is no {', '.join(missing)}: tools/test --long installs them, where the distribution has them"
    return "" if os.getuid() == 0 else "the daemons of a cluster need root"


def where(program):
    return shutil.which(program, path="/usr/bin:/usr/sbin:/bin:/sbin")


def version():
    """Such as (22, 5)."""
    said = subprocess.run([where("slurmd"), "-V"], capture_output=True, text=True).stdout
    return tuple(map(int, re.findall(r"\d+", said)[:2]))


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class MiniCluster:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="a2-cluster-"))
        self.folder.chmod(0o755)
        self.processes = {}

    def start(self):
        for name in ("munge", "state", "spool-n1", "spool-n2"):
            (self.folder / name).mkdir(mode=0o755)
        host = socket.gethostname().split(".")[0]
        config = CONFIG.format(folder=self.folder, host=host, port=free_ports(3))
        (self.folder / "slurm.conf").write_text(config, encoding="utf-8")
        # A device node that certainly exists.
        (self.folder / "gres.conf").write_text("NodeName=n2 Name=gpu File=/dev/null\n", encoding="utf-8")
        if version() >= (23, 11):  # earlier ones do not know the word, and work without cgroups anyway
            (self.folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n", encoding="utf-8")
        os.environ["SLURM_CONF"] = str(self.folder / "slurm.conf")
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.begin("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge/socket",
                   f"--pid-file={self.folder}/munge/pid", f"--log-file={self.folder}/munge/log",
                   f"--seed-file={self.folder}/munge/seed")
        self.until("munged", lambda: (self.folder / "munge" / "socket").exists())
        self.begin("slurmctld", "-D", "-c")
        for node in ("n1", "n2"):
            self.begin("slurmd", "-D", "-N", node, key=f"slurmd-{node}")
        self.until("nodes that are idle", lambda: self.nodes() == ["idle", "idle"])

    def begin(self, program, *words, key=None):
        log = open(self.folder / f"{key or program}.said", "ab")
        # A session of its own: Ctrl-C of the test must not reach them.
        self.processes[key or program] = subprocess.Popen([where(program), *words], stdin=subprocess.DEVNULL,
                                                          stdout=log, stderr=log, start_new_session=True)
        log.close()

    def nodes(self):
        return subprocess.run(["sinfo", "-h", "-N", "-p", "all", "-o", "%T"], capture_output=True,
                              text=True).stdout.split()

    def until(self, what, is_so):
        end = time.monotonic() + SECONDS_START
        while not is_so():
            dead = [name for name, process in self.processes.items() if process.poll() is not None]
            if dead or time.monotonic() > end:
                raise AssertionError(f"{what}: did not come; ended: {dead}\n{self.said()}")
            time.sleep(0.1)

    def said(self):
        """The ends of the daemons' logs, the nodes and the jobs."""
        logs = [f"{path.name}: {path.read_text(errors='replace')[-2000:]}" for path in self.folder.glob("*.[sl]*[dg]")]
        asked = [subprocess.run(words, capture_output=True, text=True, timeout=60).stdout
                 for words in (["sinfo", "-N", "-l"], ["sinfo", "-R"], ["squeue", "-l"])]
        return "\n".join(logs + asked)

    def forget_jobs(self):
        """Restarts it as after the loss of the controller's state."""
        self.end("slurmctld")
        shutil.rmtree(self.folder / "state")
        (self.folder / "state").mkdir()
        # The nodes still run jobs that the controller has forgotten. If a number were used twice, a node would be
        # drained for ever.
        with open(self.folder / "slurm.conf", "a", encoding="utf-8") as config:
            config.write("FirstJobId=1001\n")
        self.begin("slurmctld", "-D", "-c")
        self.until("nodes that are idle", lambda: self.nodes() == ["idle", "idle"])

    def end(self, name):
        process = self.processes.pop(name)
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def stop(self):
        """Ends everything, first the processes in jobs."""
        subprocess.run(["scancel", f"--user={os.getuid()}"], capture_output=True, timeout=30)
        end = time.monotonic() + 15
        while self.steps() and time.monotonic() < end:
            time.sleep(0.2)
        for process in self.steps():
            os.kill(process, signal.SIGKILL)
        for name in ("slurmd-n1", "slurmd-n2", "slurmctld", "munged"):
            if name in self.processes:
                self.end(name)
        os.environ.pop("SLURM_CONF", None)
        shutil.rmtree(self.folder, ignore_errors=True)

    def steps(self):
        """Processes of this cluster's jobs: slurmstepd and below, which have its SLURM_CONF."""
        found, mark, daemons = [], f"SLURM_CONF={self.folder}/".encode(), {p.pid for p in self.processes.values()}
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                own = int(path.name) not in daemons and int(path.name) != os.getpid()
                if own and mark in (path / "environ").read_bytes() and b"slurmstepd" in (path / "cmdline").read_bytes():
                    found.append(int(path.name))
            except OSError:
                pass
        return found
