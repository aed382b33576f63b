import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import { AllPartners, type PartnerLife } from './all-partners.ts'
import { NewPartners } from './new-partners.ts'
import { PartnerChanges } from './partner-changes.ts'
import { Partners } from './partners.ts'
import { partnerRoutes } from './routes.ts'
import type { AssertNobodyLockedOut, PreviewSecurityChange } from './security.ts'

interface PartnersDependencies {
  assertNobodyLockedOut: AssertNobodyLockedOut
  /** What a change of the security settings would mean for people. */
  preview: PreviewSecurityChange
  life: PartnerLife
}

/** One's own company, and all of them for the operator. */
export function createPartners(
  services: Services,
  { assertNobodyLockedOut, preview, life }: PartnersDependencies,
): Module<null> {
  const { config, db, clock, audit } = services
  const rules = { isProxyConfigured: config.proxies.isConfigured, isAllowlistEnforced: config.isAllowlistEnforced }
  const changes = new PartnerChanges(db, rules, assertNobodyLockedOut)
  const own = new Partners(db, clock, audit, changes, preview)
  const all = new AllPartners({ ...services, newPartners: new NewPartners(db, clock, audit), changes, life })
  return { api: null, routes: (http) => partnerRoutes(http, own, all) }
}
