import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasPeer, type PeerName, peerFile, peersFolder } from './peers.ts'

/**
 * The thorough tests try Homeport with programs of others: builds and installs those that are missing, where a Go toolchain
 * and Python are at hand. Without them those tests are skipped.
 */

function run(command: string, args: string[], env: Record<string, string> = {}): boolean {
  return spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } }).status === 0
}

const goProgram = (path: string) => () => run('go', ['install', path], { GOBIN: peersFolder })

function pythonProgram(name: PeerName, requirement: string): boolean {
  const bin = dirname(peerFile(name))
  return run('python3', ['-m', 'venv', dirname(bin)]) && run(`${bin}/pip`, ['install', '--quiet', requirement])
}

const builds: Record<PeerName, () => boolean> = {
  'newer restic': goProgram('github.com/restic/restic/cmd/restic@v0.18.1'),
  'S3 server': goProgram('github.com/versity/versitygw/cmd/versitygw@v1.8.0'),
  'REST server': () => pythonProgram('REST server', 'pyrestserver==0.1.1'),
}

mkdirSync(peersFolder, { recursive: true })
for (const [name, build] of Object.entries(builds) as [PeerName, () => boolean][]) {
  if (hasPeer(name) || (build() && hasPeer(name))) continue
  process.stdout.write(`There is no ${name} on this machine, and none could be made: its tests are skipped.\n`)
}
