# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays launch lines one after another in one process, which loads drivers once for all of them."""
import select
import subprocess

TIMEOUT = 60


class Player:
    """Plays launch lines in a process of its own, which is started anew where one ends it.

    program: play-lines; folder: the process' own, which keeps what it says; env: its environment, os.environ without one"""

    def __init__(self, program, folder, env=None):
        self.program, self.folder, self.env, self.process = program, folder, env, None
        self.errors = (folder / "errors").open("w+", encoding="utf-8")

    def play(self, arguments):
        """(exit status or None if there is none, text on standard error)"""
        if not self.process or self.process.poll() is not None:
            self.process = subprocess.Popen([self.program], cwd=self.folder, env=self.env, text=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.errors.seek(0, 2)
        before = self.errors.tell()
        self.process.stdin.write("\0".join(arguments) + "\n")
        self.process.stdin.flush()
        answered = select.select([self.process.stdout], [], [], TIMEOUT)[0]
        answer = self.process.stdout.readline().strip() if answered else ""
        if not answer:
            self.process.kill()
            self.process.wait()
        self.errors.seek(before)
        return int(answer) if answer else None, self.errors.read()

    def close(self):
        """Ends the process normally, and returns its exit status"""
        if not self.process:
            return 0
        self.process.stdin.close()
        return self.process.wait(TIMEOUT)
