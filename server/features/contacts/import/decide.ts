import { contactRole } from '../../../../shared/api/contacts.ts'
import type { ContactRow } from '../views.ts'
import type { ParsedRow } from './parsed-row.ts'

/** What a row is decided against. Contacts and sites that the caller can not see are not in it. */
export interface Snapshot {
  /** Organizations that a row may mean by its `organizationId` or else by its `organization`. */
  organizations(wanted: ParsedRow): readonly Organization[]
  /** Sites of the organization that a row may mean by its `siteId` or else by its `site`. */
  sites(orgId: string, wanted: ParsedRow): readonly { id: string }[]
  /** More than one row of the file brings this id of the other system for this organization. */
  isRepeated(orgId: string, system: string, externalId: string): boolean
  linked(orgId: string, system: string, externalId: string): ContactRow | undefined
  withEmail(orgId: string, email: string): ContactRow[]
  withName(orgId: string, name: string): ContactRow[]
}

export interface Organization {
  id: string
  name: string
  /** Nothing below it may be written now, and why. */
  frozen: string | null
}

export interface Place {
  organization: Organization
  /** Null when the row names no site. */
  siteId: string | null
}

export type Decision =
  | { annotation: 'org-not-found'; reason: string }
  | { annotation: 'conflict'; reason: string; organization?: Organization; siteId?: string | null }
  | ({ annotation: 'create'; warning?: string } & Place)
  | ({ annotation: 'link-match' | 'email-match' | 'name-match'; contact: ContactRow } & Place)

/** What an import would do with a row; reasons begin with the column. */
export function decide(wanted: ParsedRow, snapshot: Snapshot): Decision {
  const { name, email, phone, mobile, roles, externalId, externalSystem } = wanted

  if (!wanted.organizationId && !wanted.organization) return conflict('organization: the row names none')
  const [organization, ...others] = snapshot.organizations(wanted)
  if (!organization)
    return {
      annotation: 'org-not-found',
      reason: `${wanted.organizationId ? 'organizationId' : 'organization'}: not found`,
    }
  if (others.length > 0) return conflict('organization: several have this name; use organizationId')
  if (organization.frozen) return conflict(`organization: ${organization.frozen}`, organization)

  if (!name && !email && !phone && !mobile)
    return conflict('name: a name, an email address or a phone number is missing', organization)

  const unknown = roles.find((word) => !contactRole.safeParse(word).success)
  if (unknown !== undefined) return conflict(`roles: there is no role ${JSON.stringify(unknown)}`, organization)

  const site = siteMeant(wanted, organization, snapshot)
  if ('reason' in site) return conflict(site.reason, organization)
  const place: Place = { organization, ...site }

  if (externalId && snapshot.isRepeated(organization.id, externalSystem, externalId))
    return conflict('externalId: another row of this file has the same', organization, place.siteId)
  const linked = externalId && snapshot.linked(organization.id, externalSystem, externalId)
  if (linked) return { annotation: 'link-match', contact: linked, ...place }

  return matched(wanted, place, snapshot) ?? { annotation: 'create', ...place }
}

function siteMeant(
  wanted: ParsedRow,
  { id }: Organization,
  snapshot: Snapshot,
): { siteId: string | null } | { reason: string } {
  if (!wanted.siteId && !wanted.site) return { siteId: null }
  const [site, ...others] = snapshot.sites(id, wanted)
  if (others.length > 0) return { reason: 'site: several have this name; use siteId' }
  if (site) return { siteId: site.id }
  return {
    reason: wanted.siteId ? 'siteId: not found in the organization' : 'site: the organization has none of this name',
  }
}

/** By the email address, or by the name when nobody has that address. */
function matched({ name, email, externalId }: ParsedRow, place: Place, snapshot: Snapshot): Decision | undefined {
  const { id } = place.organization
  const byEmail = email ? snapshot.withEmail(id, email) : []
  const found = byEmail.length > 0 || !name ? byEmail : snapshot.withName(id, name)
  const [contact, ...others] = found
  if (!contact) return undefined
  const isEmail = found === byEmail
  if (others.length === 0) return { annotation: isEmail ? 'email-match' : 'name-match', contact, ...place }
  const reason = isEmail ? 'email: several contacts have this address' : 'name: several contacts have this name'
  // Its own id keeps the row apart from them, now and in the next import.
  if (externalId) return { annotation: 'create', warning: reason, ...place }
  return conflict(reason, place.organization, place.siteId)
}

const conflict = (reason: string, organization?: Organization, siteId?: string | null): Decision => ({
  annotation: 'conflict',
  reason,
  ...(organization && { organization }),
  ...(siteId && { siteId }),
})
