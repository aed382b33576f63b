import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { examineTrust, loadTrust, Outbound, reportTrust } from './outbound/index.ts'

export interface SsoParts {
  config: Config
  db: Database
  clock: Clock
  log: Log
  secrets: Secrets
  audit: Audit
  limits: RateLimits
  /** Origin at which the appliance is to be found, best first. */
  home: () => string
}

export type Sso = ReturnType<typeof createSso>

/** Single sign-on, put together: who needs whom. */
export function createSso({ config, clock, log, audit, home }: SsoParts) {
  const trust = loadTrust(config, clock.now())
  reportTrust(trust, audit, log)
  const outbound = new Outbound({ trust, clock })
  /** Where identity providers send people back to. */
  const callbackUrl = () => `${config.sso.callbackOrigin ?? home()}/api/v1/sso/callback`
  const examine = (draft?: string) => examineTrust(config, clock.now(), draft)
  return { trust, examineTrust: examine, outbound, callbackUrl, stop: () => outbound.close() }
}
