import type { AgentRole, Scope } from '../../shared/endpoint.ts'
import type { Grant, Permission } from '../../shared/permissions.ts'
import type { OrgReach } from '../db/reach.ts'

/** Where a call came from; goes into audit events and logs. */
export interface Origin {
  ip: string
  /** A trusted proxy vouches for `ip`; what an allowlist needs to know. */
  isVouchedFor: boolean
  /** Encrypted from the client on, so that cookies may be `Secure`. */
  isSecure: boolean
  /** Install id of a mobile app, which binds its tokens to it. */
  mobileDeviceId: string | null
  userAgent: string | null
  requestId: string
}

/** What the session row, the memberships and the roles say of a signed-in user at this moment. */
export interface Identity {
  userId: string
  email: string
  name: string
  sessionId: string
  /** What they work as a member of; null for operators, who are members of nothing. */
  membershipId: string | null
  scope: Scope
  partnerId: string | null
  orgId: string | null
  roleId: string | null
  orgAccess: 'all' | 'selected' | 'none'
  orgs: OrgReach
  /** Sites an organization user is confined to; null means no confinement, an empty set no site at all. */
  sites: ReadonlySet<string> | null
  /** Device groups an organization user is confined to; null means no confinement, an empty set no device at all. */
  groups: ReadonlySet<string> | null
  grants: readonly Grant[]
  permissions: ReadonlySet<Permission>
  /** The session itself passed a second factor. */
  mfa: boolean
  holdsFactor: boolean
  /** A policy requires a second factor now; the guard decides what that means for the call. */
  mfaRequired: boolean
  /** When the password, a passkey or the identity provider was last asked in this session; ms since 1970. */
  authAtMs: number
  /** When the session last passed a factor of the account itself, not of an identity provider; null for never. */
  mfaAtMs: number | null
  isPlatformAdmin: boolean
}

export interface UserActor extends Identity {
  kind: 'user'
  /** The API key that acts for its creator, with a part of their permissions. */
  apiKey?: { id: string; name: string }
  origin: Origin
}

export interface DeviceActor {
  kind: 'device'
  deviceId: string
  agentId: string
  hostname: string
  orgId: string
  siteId: string
  role: AgentRole
  origin: Origin
}

/** The appliance itself: a job, the first start, the administration shell. */
export interface SystemActor {
  kind: 'system'
  task: string
  origin?: Origin
}

/** A known person outside of a session: while signing in, or by a link in a mail. */
export interface PersonActor {
  kind: 'person'
  userId: string
  email: string
  partnerId: string | null
  origin: Origin
}

export type Actor = UserActor | PersonActor | DeviceActor | SystemActor

/** @param task what the appliance does; for the reader of the code, an audit event does not record it */
export const systemActor = (task: string, origin?: Origin): SystemActor => ({
  kind: 'system',
  task,
  ...(origin && { origin }),
})

/**
 * Whether the membership covers the whole tenant. A member with selected organizations does not, even if the selection
 * happens to hold all of them.
 */
export const hasWholeTenant = ({ scope, orgAccess }: Pick<Identity, 'scope' | 'orgAccess'>): boolean =>
  scope !== 'partner' || orgAccess === 'all'

export const reachesOrg = (actor: { orgs: OrgReach }, orgId: string): boolean =>
  actor.orgs.ids.has(orgId) === (actor.orgs.of === 'only') && actor.orgs.within?.has(orgId) !== false
/** Whether the actor sees a part of their organization only; what concerns the whole of it is not theirs. */
export const isConfined = ({ sites, groups }: Pick<Identity, 'sites' | 'groups'>): boolean =>
  sites !== null || groups !== null
export const reachesSite = (actor: { sites: ReadonlySet<string> | null }, siteId: string | null): boolean =>
  actor.sites === null || (siteId !== null && actor.sites.has(siteId))

/** The owner of an audit event, or of a chain of them. */
export interface EventOwner {
  org_id: string | null
  partner_id: string | null
}
/** Events of an organization are visible to users who see it, those of a company alone to the users of the company. */
export const reachesEvent = (actor: Identity, owner: EventOwner): boolean => {
  const { org_id, partner_id } = owner
  if (actor.scope === 'system') return true
  if (org_id !== null && !reachesOrg(actor, org_id) && !remembersOrg(actor, org_id, owner)) return false
  if (actor.scope === 'organization') return org_id !== null
  // Events of an organization did not always name its partner.
  return partner_id === actor.partnerId || (partner_id === null && org_id !== null)
}

/**
 * Events of a deleted organization stay visible to the people of its company who saw it; once its row is erased, to those
 * who see all organizations.
 */
const remembersOrg = ({ scope, orgs }: Identity, orgId: string, { partner_id }: EventOwner): boolean =>
  scope === 'partner' &&
  (orgs.deleted?.has(orgId) === true || (orgs.of === 'all-but' && partner_id !== null && !orgs.ids.has(orgId)))
