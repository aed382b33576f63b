import { nameKey } from '../../../shared/names.ts'
import { exactTime, plural } from '../../lib/format.ts'
import { idsWithSharedName } from '../organizations/same-names.ts'

export interface NamedSite {
  id: string
  name: string
  deviceCount: number
  createdAt: string
}

/** Tells a site from others of the same name; sites have no slug. */
const siteIdentity = ({ deviceCount, createdAt }: Omit<NamedSite, 'id' | 'name'>): string =>
  `${plural(deviceCount, 'device')}, since ${exactTime(createdAt)}`

/** Distinguishing texts of the sites that share their name, by id. */
export function siteDistinctions(sites: readonly NamedSite[]): ReadonlyMap<string, string> {
  const namesakes = idsWithSharedName(sites)
  return new Map(sites.filter(({ id }) => namesakes.has(id)).map((one) => [one.id, siteIdentity(one)]))
}

/** The sites of an organization; those that share a name get a distinction in parentheses. */
export function withDistinctNames<One extends NamedSite>(sites: readonly One[]): One[] {
  const marks = siteDistinctions(sites)
  return sites.map((one) => ({ ...one, name: marks.has(one.id) ? `${one.name} (${marks.get(one.id)})` : one.name }))
}

/** Options of a select. */
export const siteOptions = (sites: readonly NamedSite[]): { value: string; label: string }[] =>
  withDistinctNames(sites).map(({ id, name }) => ({ value: id, label: name }))

interface SiteOfOrganization {
  orgId: string
  siteId: string
  siteName: string
}

/** Organizations that have several of the given sites under one name. */
export function organizationsWithSharedSiteNames(places: readonly SiteOfOrganization[]): string[] {
  const sites = [...new Map(places.map((one) => [one.siteId, one])).values()]
  const alike = Map.groupBy(sites, ({ orgId, siteName }) => `${orgId} ${nameKey(siteName)}`)
  return [...new Set([...alike.values()].flatMap(([one, ...others]) => (one && others.length > 0 ? [one.orgId] : [])))]
}
