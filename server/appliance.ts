import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type App, buildApp } from './app.ts'
import type { Config } from './config/config.ts'
import { Database } from './db/database.ts'
import { databaseFile } from './db/location.ts'
import { promotePlatformAdmins } from './features/access/index.ts'
import { renewCertificate } from './http-server.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import { lockDataDir } from './platform/data-lock.ts'
import type { Log } from './platform/log.ts'
import { lowerPoolPriority } from './platform/pool-priority.ts'
import { namesWith, PublicAddress } from './platform/public-address.ts'
import { openSecrets } from './platform/secrets.ts'
import { machineNames, openTls, type Tls } from './platform/tls/index.ts'

export interface Appliance {
  app: App
  tls: Tls | null
  port: number
  stop(): Promise<void>
}

export interface ApplianceOptions {
  config: Config
  log: Log
  version: string
  distDir: string
  clock?: Clock
  onSetupCode?: (code: string) => void
  /** For tests: signs releases instead of the real key; ASCII-armored. */
  releaseKey?: string
  /** The certificate or the set of authorities changed. */
  onTrustChange?: () => void
}

/** Opens everything under the data directory and serves. */
export async function startAppliance(options: ApplianceOptions): Promise<Appliance> {
  const { config, log, clock = systemClock } = options
  await lowerPoolPriority()
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const lock = lockDataDir(config.dataDir, 'serve')
  const secrets = openSecrets(config.dataDir, config.secrets)
  const db = new Database({ file: databaseFile(config.dataDir) })
  try {
    const applied = db.migrate()
    if (applied.length > 0) log.info({ migrations: applied }, 'The database was brought up to date')
    const tls = await openTlsFor(config, new PublicAddress(db, config.publicUrl), clock, log)
    const app = await buildApp({ ...options, clock, db, secrets, tls })
    tls?.onChange((context) => {
      renewCertificate(app.fastify, context)
      options.onTrustChange?.()
    })
    if (config.bootstrapAdmin) await app.bootstrap.fromEnvironment(config.bootstrapAdmin)
    const unproved = promotePlatformAdmins(db, config.platformAdmins)
    if (unproved.length > 0)
      log.warn({ emails: unproved }, 'PLATFORM_ADMINS: these accounts have yet to confirm their email address')
    await app.fastify.listen({ host: config.host, port: config.port })
    app.start()
    const [best] = app.connectionInfo.addresses()
    if (best) lock.servesAt(best.url)
    const address = app.fastify.server.address()
    const port = typeof address === 'object' && address !== null ? address.port : config.port
    log.info({ host: config.host, port, version: options.version, dataDir: config.dataDir }, 'The appliance is up')
    return {
      app,
      tls,
      port,
      stop: async () => {
        await app.stop()
        db.close()
        lock.release()
        log.info('The appliance has stopped')
      },
    }
  } catch (error) {
    db.close()
    lock.release()
    throw error
  }
}

function openTlsFor(config: Config, publicAddress: PublicAddress, clock: Clock, log: Log): Promise<Tls> | null {
  switch (config.tls.mode) {
    case 'off':
      return null
    case 'files':
      return openTls({ ...config.tls, clock, log })
    case 'auto': {
      const names = () => namesWith(machineNames(), publicAddress.origin())
      return openTls({ mode: 'auto', dir: join(config.dataDir, 'tls'), names, clock, log })
    }
  }
}
