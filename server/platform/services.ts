import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import type { Audit } from './audit.ts'
import type { Clock } from './clock.ts'
import type { Jobs } from './jobs.ts'
import type { LiveEvents } from './live.ts'
import type { Log } from './log.ts'
import type { Destinations, Names } from './outbound/index.ts'
import type { PublicAddress } from './public-address.ts'
import type { RateLimits } from './rate-limit.ts'
import type { Secrets } from './secrets.ts'
import type { Tasks } from './tasks/index.ts'
import type { Tls } from './tls/index.ts'

/** What every feature may use. */
export interface Services {
  config: Config
  db: Database
  clock: Clock
  log: Log
  secrets: Secrets
  tls: Tls | null
  audit: Audit
  limits: RateLimits
  live: LiveEvents
  jobs: Jobs
  tasks: Tasks
  names: Names
  destinations: Destinations
  publicAddress: PublicAddress
  /** Origins at which the appliance can be reached, best first. */
  addresses: () => string[]
}
