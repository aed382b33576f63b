import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import { groupsOf } from './features/device-groups/index.ts'
import { createAudit } from './platform/audit.ts'
import { writeLateEvents } from './platform/audit-later.ts'
import { auditRetries } from './platform/audit-retries.ts'
import type { Clock } from './platform/clock.ts'
import { Jobs } from './platform/jobs.ts'
import { LiveEvents } from './platform/live.ts'
import type { Log } from './platform/log.ts'
import { Destinations, Names, type Resolve, type Settle, systemResolve } from './platform/outbound/index.ts'
import type { PublicAddress } from './platform/public-address.ts'
import { RateLimits } from './platform/rate-limit.ts'
import type { Secrets } from './platform/secrets.ts'
import type { Services } from './platform/services.ts'
import { Tasks } from './platform/tasks/index.ts'
import type { Tls } from './platform/tls/index.ts'

export interface Environment {
  config: Config
  db: Database
  clock: Clock
  log: Log
  secrets: Secrets
  tls: Tls | null
  /** For tests: names without the machine's DNS, and no wait before it is said that a server cannot be reached. */
  outbound?: { resolve: Resolve; settle: Settle }
}

/** What every feature may use, made of what the process has opened. */
export function createServices(
  environment: Environment,
  publicAddress: PublicAddress,
  addresses: () => string[],
): Services {
  const { config, db, clock, log, secrets, tls, outbound } = environment
  const live = new LiveEvents((deviceId) => groupsOf(db, deviceId))
  const audit = createAudit(db, clock, secrets, auditRetries(db, log), (owner) =>
    live.eventWritten(owner).catch((error) => log.error({ err: error }, 'new audit events not told')),
  )
  const tasks = new Tasks(db, clock, log)
  writeLateEvents(tasks, audit)
  const names = new Names(outbound?.resolve ?? systemResolve, clock)
  return {
    config,
    db,
    clock,
    log,
    secrets,
    tls,
    audit,
    live,
    tasks,
    names,
    publicAddress,
    addresses,
    limits: new RateLimits(db, clock, config.limits),
    jobs: new Jobs(db, clock, log),
    destinations: new Destinations(names, config.outboundAllowed, outbound?.settle),
  }
}
