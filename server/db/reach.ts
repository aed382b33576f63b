/** The organizations an actor sees: all there are but these few, or only these. */
export interface OrgReach {
  of: 'all-but' | 'only'
  ids: ReadonlySet<string>
  /** All there are of this partner, where the box has more than one; nobody then holds a list of what may be thousands. */
  within?: { partnerId: string; has(orgId: string): boolean }
  /** Deleted organizations that would be in reach: only their audit events are still visible. */
  deleted?: ReadonlySet<string>
}
export const everyOrg: OrgReach = { of: 'all-but', ids: new Set() }
export const onlyOrgs = (ids: Iterable<string>): OrgReach => ({ of: 'only', ids: new Set(ids) })

export interface Reach {
  orgs: OrgReach
  sites: ReadonlySet<string> | null
  /** Device groups somebody is confined to; null means no confinement. */
  groups: ReadonlySet<string> | null
}

/** For the appliance's own work; never for something a request asked for. */
export const unlimitedReach: Reach = { orgs: everyOrg, sites: null, groups: null }
