import type { Caller } from './caller.ts'
import type { Device, Event, Organization, Placed } from './tree.ts'

/** What a caller may see, said as simply as it can be: nothing here knows how the server finds it. */

/** Whether the caller gets in at all: their own tenant must be alive. */
export function isAdmitted(caller: Caller): boolean {
  if (caller.scope === 'system') return true
  if (caller.scope === 'partner') return caller.partner.status === 'active'
  const { org } = caller
  return org.partner.status === 'active' && !org.isDeleted && (org.status === 'active' || org.status === 'trial')
}

export const isGranted = (caller: Caller, org: Organization): boolean => !org.isDeleted && isGrantedAtAll(caller, org)

function isGrantedAtAll(caller: Caller, org: Organization): boolean {
  switch (caller.scope) {
    case 'system':
      return true
    case 'partner':
      return (
        org.partner.id === caller.partner.id &&
        (caller.access === 'all' || (caller.access === 'selected' && caller.selection.has(org.id)))
      )
    case 'organization':
      return org.id === caller.org.id
  }
}

export const seesOrganization = (caller: Caller, org: Organization): boolean =>
  isGranted(caller, org) && org.status !== 'archived' && org.status !== 'purging'

const isInSites = (caller: Caller, siteId: string | null, isSeenWithoutSite = false): boolean =>
  caller.scope !== 'organization' ||
  caller.sites === null ||
  (siteId === null ? isSeenWithoutSite : caller.sites.has(siteId))

export const seesSite = (caller: Caller, { org, siteId }: Placed): boolean =>
  seesOrganization(caller, org) && isInSites(caller, siteId)

/** A key lets in devices of any group, so it is nothing for those who look after some. */
export const seesKey = (caller: Caller, key: Placed): boolean =>
  seesSite(caller, key) && (caller.scope !== 'organization' || caller.groups === null)

export const seesContact = (caller: Caller, { org, siteId }: Placed): boolean =>
  seesOrganization(caller, org) && isInSites(caller, siteId, true)

export const seesDevice = (caller: Caller, { org, siteId, groupIds }: Device): boolean =>
  seesOrganization(caller, org) &&
  isInSites(caller, siteId) &&
  (caller.scope !== 'organization' || caller.groups === null || groupIds.some((id) => caller.groups?.has(id)))

export const seesGroup = (caller: Caller, { id, org, siteId }: Placed): boolean =>
  seesOrganization(caller, org) &&
  isInSites(caller, siteId) &&
  (caller.scope !== 'organization' || caller.groups === null || caller.groups.has(id))

/** The log of a deleted organization is still there for the people of its company who saw it. */
export const seesLog = (caller: Caller, org: Organization): boolean =>
  seesOrganization(caller, org) || (org.isDeleted && caller.scope !== 'organization' && isGrantedAtAll(caller, org))

/** Sites and groups do not shorten the log of an organization. */
export function seesEvent(caller: Caller, { org, partner }: Event): boolean {
  if (org) return caller.scope === 'system' || seesLog(caller, org)
  return caller.scope === 'system' || (caller.scope === 'partner' && partner?.id === caller.partner.id)
}

const frozen = ['archived', 'merging', 'purging']

/** Whether the caller may edit what belongs to an organization they see. */
export const mayEdit = ({ status }: Organization): boolean => !frozen.includes(status)
/** Whether what belongs to it may be worked with. */
export const mayOperate = ({ status, partner }: Organization): boolean =>
  partner.status === 'active' && (status === 'active' || status === 'trial')
