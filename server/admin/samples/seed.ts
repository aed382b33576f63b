import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildApp } from '../../app.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import { openData } from '../../db/open-data.ts'
import { ManagedKeys, Repositories } from '../../features/backup-storage/index.ts'
import { SnapshotIndex } from '../../features/snapshot-index/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { openSecrets } from '../../platform/secrets.ts'
import { writeAgents } from './agents.ts'
import { callsOf } from './client.ts'
import { makeCompany, sampleAdmin } from './company.ts'

/** Fills an empty appliance with the sample company. Returns what to tell the user. */
export async function seedSamples(config: Config): Promise<string> {
  const db = openData(config)
  const wide = {
    HOMEPORT_LIMIT_GLOBAL: '0/60',
    HOMEPORT_LIMIT_ENROLLMENT_IP: '0/60',
    HOMEPORT_LIMIT_ENROLLMENT_KEY_CREATE: '0/60',
  }
  const secrets = openSecrets(config.dataDir, config.secrets)
  const index = new SnapshotIndex(join(config.dataDir, 'backup-index'))
  const app = await buildApp({
    // Without mail, an invitation comes with its link.
    config: { ...config, limits: loadConfig(wide).limits, mail: null },
    db,
    clock: systemClock,
    log: silentLog(),
    secrets,
    tls: null,
    version: '0.0.0',
    distDir: config.dataDir,
  })
  try {
    if (!app.bootstrap.isNeeded()) return 'There is already a company; nothing was added.'
    app.bootstrap.setupCode()
    const setupCode = readFileSync(join(config.dataDir, 'setup-code'), 'utf8').trim()
    const records = {
      repositories: new Repositories({
        db,
        clock: systemClock,
        keys: new ManagedKeys({ db, clock: systemClock, secrets }),
      }),
      index,
    }
    const reporting = await makeCompany(callsOf(app.fastify), db, records, setupCode)
    await app.telemetry.flush()
    writeAgents(
      config.dataDir,
      reporting.map(({ n, agentId, authToken }) => ({ n, agentId, authToken })),
    )
    return `Added the sample company. Sign in as ${sampleAdmin.email} with ${sampleAdmin.password}`
  } finally {
    await app.stop()
    await index.stop()
    db.close()
  }
}
