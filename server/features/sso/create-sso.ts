import { Domains } from './domains/domains.ts'
import { domainJobs } from './domains/jobs.ts'
import { TxtRecords } from './domains/txt-records.ts'
import { Links } from './links/links.ts'
import { examineTrust, loadTrust, Outbound, reportTrust } from './outbound/index.ts'
import type { SsoParts } from './parts.ts'
import { Discoveries } from './providers/discoveries.ts'
import { ProviderChanges } from './providers/provider-changes.ts'
import { ProviderTests } from './providers/provider-tests.ts'
import { Providers } from './providers/providers.ts'
import { ProviderViews } from './providers/views.ts'
import { createSignIn } from './sign-in/create-sign-in.ts'
import { pruneJob } from './sign-in/prune.ts'

export type Sso = ReturnType<typeof createSso>

/** Single sign-on, put together: who needs whom. */
export function createSso(parts: SsoParts) {
  const { config, db, clock, log, audit, limits, names, home } = parts
  const trust = loadTrust(config, clock.now())
  reportTrust(trust, audit, log)
  const outbound = new Outbound({ trust, clock, names })
  /** Where identity providers send people back to. */
  const callbackUrl = () => `${home()}/api/v1/sso/callback`
  const views = new ProviderViews(outbound)
  const providers = new Providers(db, views)
  const discoveries = new Discoveries(outbound, limits)
  const changes = new ProviderChanges({ ...parts, outbound, discoveries, providers, views })
  const tests = new ProviderTests({ audit, discoveries, providers, views })
  const txtRecords = new TxtRecords(config.sso.dnsResolvers)
  const domains = new Domains({ db, clock, audit, limits, txtRecords })
  const signIn = createSignIn({ ...parts, outbound, callbackUrl })
  const links = new Links({ db, audit, ...signIn })
  return {
    trust,
    examineTrust: (draft?: string) => examineTrust(config, clock.now(), draft),
    callbackUrl,
    db,
    providers,
    changes,
    tests,
    domains,
    signIn,
    links,
    /** What the sign-in page of a company offers everybody who works there. */
    ofPartner: signIn.lookups.ofPartner,
    jobs: [...domainJobs(domains), pruneJob(db, clock)],
    stop: () => outbound.close(),
  }
}
