import type { Selectable } from 'kysely'
import type { Tables } from '../../tables.ts'

/** Where a PATCH may lead, and where it may start from. */
export type WritableStatus = Exclude<Selectable<Tables['organizations']>['status'], 'archived' | 'merging' | 'purging'>
export type PartnerStatus = Selectable<Tables['partners']>['status']

/**
 * What a new status means to people and keys. Devices are no part of this: what they get follows from the status alone
 * (see device-target.ts), whichever way led to it.
 */
export const effects = {
  none: { endsSessions: false, endsKeys: false },
  /** Back in service; what was revoked stays revoked. */
  reopen: { endsSessions: false, endsKeys: false },
  /** Devices go on reporting, people stay out; nothing is lost for good. */
  restrict: { endsSessions: true, endsKeys: false },
  /** The agents are asked to remove themselves. */
  drain: { endsSessions: true, endsKeys: true },
  sever: { endsSessions: true, endsKeys: true },
} as const
export type Effect = keyof typeof effects

/** Status by status, from the row to the column. The frozen ones are left in other ways. */
const ofOrganization: Record<WritableStatus, Record<WritableStatus, Effect>> = {
  active: { active: 'none', trial: 'none', suspended: 'restrict', churned: 'sever', offboarding: 'drain' },
  trial: { active: 'none', trial: 'none', suspended: 'restrict', churned: 'sever', offboarding: 'drain' },
  suspended: { active: 'reopen', trial: 'reopen', suspended: 'none', churned: 'sever', offboarding: 'drain' },
  offboarding: { active: 'reopen', trial: 'reopen', suspended: 'restrict', churned: 'sever', offboarding: 'none' },
  churned: { active: 'reopen', trial: 'reopen', suspended: 'restrict', churned: 'none', offboarding: 'drain' },
}

/** As above; a suspended partner loses access at once, and `pending` has no effects of its own. */
const ofPartner: Record<PartnerStatus, Record<PartnerStatus, Effect>> = {
  pending: { pending: 'none', active: 'reopen', suspended: 'sever', churned: 'sever', offboarding: 'drain' },
  active: { pending: 'none', active: 'none', suspended: 'sever', churned: 'sever', offboarding: 'drain' },
  suspended: { pending: 'none', active: 'reopen', suspended: 'none', churned: 'sever', offboarding: 'drain' },
  offboarding: { pending: 'reopen', active: 'reopen', suspended: 'sever', churned: 'sever', offboarding: 'none' },
  churned: { pending: 'none', active: 'reopen', suspended: 'sever', churned: 'none', offboarding: 'drain' },
}

export const effectOnOrganization = (from: WritableStatus, to: WritableStatus): Effect => ofOrganization[from][to]
export const effectOnPartner = (from: PartnerStatus, to: PartnerStatus): Effect => ofPartner[from][to]
