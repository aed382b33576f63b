import { randomFillSync } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Verification } from '../shared/api/backup-verification.ts'
import { backUp, caller, enrolledAgent } from './backup-device.ts'
import { readEventLoop } from './fleet.ts'
import { unpinSelf } from './processes.ts'
import { passSecondFactor, type World } from './world.ts'

/** Checks of a large backup on the appliance, from the click to the result. */
export interface ChecksReport {
  bytes: number
  checks: { name: string; seconds: number; bytes: number; eventLoopMax: number }[]
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
  const device = await enrolledAgent(api, world, folder, source)
  try {
    await api('POST', `/backup/configs?orgId=${device.orgId}`, {
      ...{ name: 'Here', provider: 'local', isDefault: true, details: {} },
    })
    const backedUp = await backUp(api, device.id)
    const report: ChecksReport = {
      bytes,
      checks: [{ name: 'The backup itself', seconds: backedUp, bytes, eventLoopMax: await longestDelay(world) }],
    }
    const measured = async (name: string, verificationType: string) => {
      await longestDelay(world)
      const began = performance.now()
      const { data } = await api('POST', '/backup/verify', { deviceId: device.id, verificationType })
      const { verification } = data as { verification: Verification }
      const check = await ended(api, device, verification.id)
      const seconds = (performance.now() - began) / 1000
      if (check.status !== 'passed')
        throw new Error(`${name} ended as ${check.status}: ${JSON.stringify(check.details)}`)
      const read = check.details?.sampledBytes ?? bytes
      report.checks.push({ name, seconds, bytes: read, eventLoopMax: await longestDelay(world) })
    }
    await measured('All its data is read, on the appliance', 'integrity')
    await measured('Test restore to the device, compared by checksum', 'test_restore')
    return report
  } finally {
    device.agent.kill('SIGKILL')
  }
}

/** Since it was last asked, ms. */
const longestDelay = async (world: World): Promise<number> => (await readEventLoop(world)).max

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

async function ended(
  api: ReturnType<typeof caller>,
  { id, orgId }: { id: string; orgId: string },
  verificationId: string,
): Promise<Verification> {
  for (;;) {
    const { data } = await api('GET', `/backup/verifications?orgId=${orgId}&deviceId=${id}`)
    const check = (data as Verification[]).find((one) => one.id === verificationId)
    if (check && check.status !== 'pending' && check.status !== 'running') return check
    await pause(200)
  }
}
