import type { Organization } from '../../../shared/api/organizations.ts'

type Status = Organization['status']

/** Actions on the lifecycle of an organization. */
export type LifecycleAction =
  | 'resume'
  | 'activate'
  | 'trial'
  | 'reopen'
  | 'suspend'
  | 'callOff'
  | 'close'
  | 'uninstall'
  | 'end'
  | 'archive'
  | 'restore'
  | 'merge'
  | 'remove'

/** Actions of the danger zone, the harmless first. The notice above the page offers the undo action. */
const offered: Record<Status, LifecycleAction[]> = {
  active: ['trial', 'suspend', 'close', 'end', 'archive', 'merge', 'remove'],
  trial: ['activate', 'suspend', 'close', 'end', 'archive', 'merge', 'remove'],
  suspended: ['close', 'end', 'archive', 'merge', 'remove'],
  offboarding: ['end', 'remove'],
  churned: ['uninstall', 'remove'],
  merging: [],
  archived: [],
  purging: [],
}

/** The action that undoes a status, offered above the page. */
const wayBack: Partial<Record<Status, LifecycleAction>> = {
  suspended: 'resume',
  offboarding: 'callOff',
  churned: 'reopen',
  archived: 'restore',
}

const ofPartner: ReadonlySet<LifecycleAction> = new Set(['close', 'uninstall', 'archive', 'restore', 'merge'])

/** Only users of the partner may do these, not platform administrators. */
export const isForPartnerOnly = (action: LifecycleAction): boolean => ofPartner.has(action)

interface Asker {
  scope: 'system' | 'partner' | 'organization'
}

const isFor =
  ({ scope }: Asker) =>
  (action: LifecycleAction) =>
    scope === 'partner' || !isForPartnerOnly(action)

/** `deviceCount` is undefined if unknown. */
export const actionsFor = (status: Status, asker: Asker, deviceCount?: number): LifecycleAction[] =>
  offered[status].filter(isFor(asker)).filter((action) => action !== 'uninstall' || deviceCount !== 0)

export const undoActionFor = (status: Status, asker: Asker): LifecycleAction | undefined =>
  [wayBack[status]].filter((action) => action !== undefined).find(isFor(asker))

/** Whether actions are withheld from the user because they are not of the partner. */
export const hasWithheldActions = (status: Status, asker: Asker): boolean =>
  asker.scope !== 'partner' &&
  [...offered[status], wayBack[status]].some((action) => action && isForPartnerOnly(action))

const costsAgents: ReadonlySet<LifecycleAction> = new Set(['close', 'uninstall', 'end', 'archive'])

/** Whether the name has to be typed first, because undoing the action does not bring the agents back. */
export const needsTypedName = (action: LifecycleAction, deviceCount: number | undefined): boolean =>
  costsAgents.has(action) && deviceCount !== 0

/** The status that a change of status leads to. */
export const statusAfterChange = {
  resume: 'active',
  activate: 'active',
  trial: 'trial',
  reopen: 'active',
  callOff: 'active',
  suspend: 'suspended',
  close: 'offboarding',
  /** For an organization that was ended at once, which left its agents installed. */
  uninstall: 'offboarding',
  end: 'churned',
} as const satisfies Partial<Record<LifecycleAction, Status>>

export type StatusChange = keyof typeof statusAfterChange
