import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { Access } from '../access/index.ts'
import type { Authentication } from '../authentication/index.ts'
import { Domains } from './domains/domains.ts'
import { domainJobs } from './domains/jobs.ts'
import { TxtRecords } from './domains/txt-records.ts'
import { linkCompletion } from './links/link-completion.ts'
import { Links } from './links/links.ts'
import { examineTrust, loadTrust, Outbound, reportTrust } from './outbound/index.ts'
import { IssuerDiscovery } from './providers/issuer-discovery.ts'
import { ProviderChanges } from './providers/provider-changes.ts'
import { ProviderTests } from './providers/provider-tests.ts'
import { Providers } from './providers/providers.ts'
import { ProviderViews } from './providers/views.ts'
import { ssoRoutes } from './routes.ts'
import { createSignIn } from './sign-in/create-sign-in.ts'
import { pruneJob } from './sign-in/prune.ts'

interface SsoDependencies {
  access: Pick<Access, 'allowlist' | 'policy'>
  authentication: Pick<Authentication, 'signIn' | 'cookies' | 'invitationLinks'>
}

export type Sso = ReturnType<typeof createSso>['api']

/** Single sign-on: identity providers, verified domains, signing in, and connections of accounts. */
export function createSso(services: Services, needs: SsoDependencies) {
  const { config, db, clock, log, audit, limits, names, addresses } = services
  const dependencies = { ...services, ...needs }
  const trust = loadTrust(config, clock.now())
  reportTrust(trust, audit, log)
  const outbound = new Outbound({ trust, clock, names })
  const callbackUrl = () => `${addresses()[0] ?? ''}/api/v1/sso/callback`
  const views = new ProviderViews(outbound)
  const providers = new Providers(db, views)
  const issuerDiscovery = new IssuerDiscovery(outbound, limits)
  const domains = new Domains({ db, clock, audit, limits, txtRecords: new TxtRecords(config.sso.dnsResolvers) })
  const completeLink = linkCompletion({ ...dependencies, allowlist: dependencies.access.allowlist })
  const signIn = createSignIn({ ...dependencies, outbound, callbackUrl, completeLink })
  const routeServices = {
    trust,
    db,
    callbackUrl,
    providers,
    changes: new ProviderChanges({ ...dependencies, outbound, issuerDiscovery, providers, views }),
    tests: new ProviderTests({ audit, issuerDiscovery, providers, views }),
    domains,
    signIn,
    links: new Links({ db, audit, ...signIn }),
  }
  const api = {
    examineTrust: (draft?: string) => examineTrust(config, clock.now(), draft),
    callbackUrl,
    /** What the sign-in page of a partner offers its own members. */
    ofPartner: signIn.lookups.ofPartner,
  }
  return {
    api,
    routes: (http) => ssoRoutes(http, routeServices),
    jobs: [...domainJobs(domains), pruneJob(db, clock)],
    stop: () => outbound.close(),
  } satisfies Module<typeof api>
}
