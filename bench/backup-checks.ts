import { randomFillSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Vault } from '../shared/api/backup-vaults.ts'
import type { Verification } from '../shared/api/backup-verification.ts'
import { type Api, backUp, caller, enrolledAgent } from './backup-device.ts'
import { readEventLoop } from './fleet.ts'
import { unpinSelf } from './processes.ts'
import { passSecondFactor, type World } from './world.ts'

/** A large backup on the appliance, its checks and its second copy, each from the click to the result. */
export interface ChecksReport {
  bytes: number
  runs: ChecksRun[]
}

interface ChecksRun {
  name: string
  seconds: number
  bytes: number
  eventLoopMax: number
  /** Of a process that does nothing meanwhile. */
  idleMax: number
}

const mebibyte = 1024 ** 2
const files = 20
const fileBytes = 1024 * mebibyte
const bytes = files * fileBytes

export async function measureChecks(world: World, folder: string): Promise<ChecksReport> {
  passSecondFactor(world)
  unpinSelf()
  const source = join(folder, 'source')
  await writeFiles(source)
  const api = caller(world)
  // Outside the data folder of the appliance, as a disk of its own would be.
  const second = mkdtempSync(join(tmpdir(), 'homeport-bench-'))
  const device = await enrolledAgent(api, world, folder, source)
  try {
    await api('POST', `/backup/configs?orgId=${device.orgId}`, {
      ...{ name: 'Here', provider: 'local', isDefault: true, details: {} },
    })
    const runs: ChecksRun[] = []
    const measured = async (name: string, work: () => Promise<number>) => {
      await readEventLoop(world)
      await idleMax(world)
      const began = performance.now()
      const bytes = await work()
      const seconds = (performance.now() - began) / 1000
      runs.push({
        ...{ name, seconds, bytes },
        ...{ eventLoopMax: (await readEventLoop(world)).max, idleMax: await idleMax(world) },
      })
    }
    await measured('The backup itself', async () => {
      await backUp(api, device.id)
      return bytes
    })
    await measured('All its data is read, on the appliance', () => checked(api, device, 'integrity'))
    await measured('Test restore to the device, compared by checksum', () => checked(api, device, 'test_restore'))
    // There may be no room for all three.
    rmSync(source, { recursive: true })
    await measured('A second copy in another folder of the appliance', () => copied(api, device, second))
    return { bytes, runs }
  } finally {
    rmSync(second, { recursive: true, force: true })
    device.agent.kill('SIGKILL')
  }
}

const idleMax = async ({ idleDelayUrl }: World): Promise<number> => Number(await (await fetch(idleDelayUrl)).text())

/** Of what cannot be compressed, none of it twice. */
async function writeFiles(source: string): Promise<void> {
  mkdirSync(source, { recursive: true })
  const block = Buffer.alloc(16 * mebibyte)
  for (let n = 0; n < files; n++) {
    await using file = await open(join(source, `file-${n}`), 'w')
    for (let written = 0; written < fileBytes; written += block.length) await file.write(randomFillSync(block))
    await file.sync()
  }
}

interface Device {
  id: string
  orgId: string
}

/** Answers how many bytes were read. */
async function checked(api: Api, { id, orgId }: Device, verificationType: string): Promise<number> {
  const all = async () =>
    (await api('GET', `/backup/verifications?orgId=${orgId}&deviceId=${id}`)).data as Verification[]
  // At night the appliance begins checks by itself.
  while ((await all()).some(({ status }) => status === 'pending' || status === 'running')) await pause(200)
  const { data } = await api('POST', '/backup/verify', { deviceId: id, verificationType })
  const { verification } = data as { verification: Verification }
  for (;;) {
    const check = (await all()).find((one) => one.id === verification.id)
    if (check?.status === 'passed') return check.details?.sampledBytes ?? bytes
    if (check?.status === 'failed' || check?.status === 'partial')
      throw new Error(`A check ended as ${check.status}: ${JSON.stringify(check.details)}`)
    await pause(200)
  }
}

/** Answers how many bytes were written. */
async function copied(api: Api, { orgId }: Device, vaultPath: string): Promise<number> {
  const place = { place: 'appliance', name: 'Second', vaultPath, vaultType: 'local' }
  const { id } = await api('POST', `/backup/vault?orgId=${orgId}`, place)
  await api('POST', `/backup/vault/${id}/sync?orgId=${orgId}`, {})
  for (;;) {
    const { data } = await api('GET', `/backup/vault?orgId=${orgId}`)
    const [vault] = data as Vault[]
    if (vault?.lastSyncStatus === 'completed') return vault.syncSizeBytes ?? 0
    if (vault?.lastSyncStatus === 'failed') throw new Error(`The second copy failed: ${vault.lastSyncError}`)
    await pause(200)
  }
}
