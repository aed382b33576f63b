import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { backUp, caller, enrolledAgent } from './backup-device.ts'
import { unpinSelf } from './processes.ts'
import { passSecondFactor, type World } from './world.ts'

/** A backup through agent and appliance store, beside restic alone into a folder of the same disk. */
export interface BackupReport {
  files: number
  bytes: number
  /** Seconds, in the order of the rounds. */
  first: { ours: number[]; bare: number[] }
  unchanged: { ours: number[]; bare: number[] }
}

const rounds = 3
const smallFiles = 10_000
const largeBytes = 2 * 1024 ** 3
const mebibyte = 1024 ** 2

export async function measureBackup(world: World, folder: string): Promise<BackupReport> {
  passSecondFactor(world)
  unpinSelf()
  const source = join(folder, 'source')
  const bytes = await writeFiles(source)
  const api = caller(world)
  const device = await enrolledAgent(api, world, folder, source)
  try {
    const report: BackupReport = {
      files: smallFiles + 1,
      bytes,
      first: { ours: [], bare: [] },
      unchanged: { ours: [], bare: [] },
    }
    for (let round = 0; round < rounds; round++) {
      const bare = await bareRepository(join(folder, `bare-${round}`))
      await api('POST', `/backup/configs?orgId=${device.orgId}`, storage(round))
      const both = [
        ['bare', () => bare.backUp(source)],
        ['ours', () => backUp(api, device.id)],
      ] as const
      // In turns, beginning with the other one each time, and neither gets the memory of files that are removed before:
      // in a virtual machine the first touch of a page costs more than the copy.
      const turns = round % 2 ? both.toReversed() : both
      for (const [whose, run] of turns) report.first[whose].push(await run())
      for (const [whose, run] of turns) report.unchanged[whose].push(await run())
    }
    return report
  } finally {
    device.agent.kill('SIGKILL')
  }
}

const storage = (round: number) => ({ name: `Round ${round}`, provider: 'local', isDefault: true, details: {} })

/** Of all sizes that people have, half of them text-like. */
async function writeFiles(source: string): Promise<number> {
  const letters = 'the quick brown fox jumps over the lazy dog 0123456789 '.repeat(2000)
  let bytes = largeBytes
  for (let n = 0; n < smallFiles; n++) {
    const folder = join(source, `folder-${n % 100}`)
    if (n < 100) mkdirSync(folder, { recursive: true })
    const size = 200 + ((n * 7919) % 100_000)
    const content = n % 2 ? randomBytes(size) : `${n} ${letters.slice(0, size)}`
    writeFileSync(join(folder, `file-${n}`), content)
    bytes += content.length
  }
  await using large = await open(join(source, 'large'), 'w')
  for (let written = 0; written < largeBytes; written += 16 * mebibyte) await large.write(randomBytes(16 * mebibyte))
  await large.sync()
  return bytes
}

async function bareRepository(folder: string) {
  const run = async (...args: string[]): Promise<number> => {
    const began = performance.now()
    const child = spawn(process.env.RESTIC_PATH ?? 'restic', ['-r', join(folder, 'repository'), '--json', ...args], {
      env: { PATH: process.env.PATH, HOME: folder, RESTIC_PASSWORD: 'bench', RESTIC_CACHE_DIR: join(folder, 'cache') },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`restic ended with ${code}`)
    return (performance.now() - began) / 1000
  }
  mkdirSync(folder, { recursive: true })
  // As of ours, the first backup makes it.
  const made = await run('init')
  let before = made
  const backUp = async (source: string) => {
    const seconds = before + (await run('backup', source))
    before = 0
    return seconds
  }
  return { backUp }
}
