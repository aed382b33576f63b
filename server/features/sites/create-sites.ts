import type { FoundSite } from '../../../shared/api/search.ts'
import type { Find } from '../../platform/http/searches.ts'
import type { Module } from '../../platform/module.ts'
import type { Services } from '../../platform/services.ts'
import type { ContactProjections } from '../contacts/index.ts'
import { bestSites } from './best-sites.ts'
import { siteRoutes } from './routes.ts'
import { Sites } from './sites.ts'

interface SitesDependencies {
  projections: ContactProjections
  /** Ends the enrollment keys of a site that is deleted, in its transaction; returns how many. */
  expireKeys: (siteId: string) => number
}

export interface SiteServices {
  sites: Sites
  findSites: Find<FoundSite>
}

export function createSites(
  { db, clock, audit }: Services,
  { projections, expireKeys }: SitesDependencies,
): Module<SiteServices> {
  const sites = new Sites(db, clock, audit, projections, expireKeys)
  const findSites: Find<FoundSite> = (actor, text, limit) => bestSites(db, actor, text, limit)
  return { api: { sites, findSites }, routes: (http) => siteRoutes(http, sites) }
}
