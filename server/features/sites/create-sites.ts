import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { ContactProjections } from '../contacts/index.ts'
import { siteRoutes } from './routes.ts'
import { Sites } from './sites.ts'

interface SitesDependencies {
  projections: ContactProjections
  /** Ends the enrollment keys of a site that is deleted, in its transaction; returns how many. */
  expireKeys: (siteId: string) => number
}

export function createSites(
  { db, clock, audit }: Services,
  { projections, expireKeys }: SitesDependencies,
): Module<Sites> {
  const sites = new Sites(db, clock, audit, projections, expireKeys)
  return { api: sites, routes: (http) => siteRoutes(http, sites) }
}
