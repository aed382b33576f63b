import type { Organization } from '../../../shared/api/organizations.ts'

type Status = Organization['status']

/** What somebody may do with the life of an organization, the harmless first. */
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

/** What leads out of a status, beside what is offered in the notice above the page. */
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

/** The way back, which nobody should have to look for. */
const wayBack: Partial<Record<Status, LifecycleAction>> = {
  suspended: 'resume',
  offboarding: 'callOff',
  churned: 'reopen',
  archived: 'restore',
}

const ofPartner: ReadonlySet<LifecycleAction> = new Set(['close', 'uninstall', 'archive', 'restore', 'merge'])

/** Some are for the people of the company alone, whoever runs the platform. */
export const isForPartnerOnly = (action: LifecycleAction): boolean => ofPartner.has(action)

interface Asker {
  scope: 'system' | 'partner' | 'organization'
}

const isFor =
  ({ scope }: Asker) =>
  (action: LifecycleAction) =>
    scope === 'partner' || !isForPartnerOnly(action)

/** `deviceCount`: undefined where it is not known. */
export const actionsFor = (status: Status, asker: Asker, deviceCount?: number): LifecycleAction[] =>
  offered[status].filter(isFor(asker)).filter((action) => action !== 'uninstall' || deviceCount !== 0)

export const undoActionFor = (status: Status, asker: Asker): LifecycleAction | undefined =>
  [wayBack[status]].filter((action) => action !== undefined).find(isFor(asker))

/** Whether something is kept from whoever asks because they are not of the company. */
export const hasWithheldActions = (status: Status, asker: Asker): boolean =>
  asker.scope !== 'partner' &&
  [...offered[status], wayBack[status]].some((action) => action && isForPartnerOnly(action))

const costsAgents: ReadonlySet<LifecycleAction> = new Set(['close', 'uninstall', 'end', 'archive'])

/** Whether the name is typed first: what a click on the wrong one costs, no way back brings back. */
export const needsTypedName = (action: LifecycleAction, deviceCount: number | undefined): boolean =>
  costsAgents.has(action) && deviceCount !== 0

/** The status a change of status leads to. */
export const statusAfterChange = {
  resume: 'active',
  activate: 'active',
  trial: 'trial',
  reopen: 'active',
  callOff: 'active',
  suspend: 'suspended',
  close: 'offboarding',
  /** Ended at once before, it left the agents where they were. */
  uninstall: 'offboarding',
  end: 'churned',
} as const satisfies Partial<Record<LifecycleAction, Status>>

export type StatusChange = keyof typeof statusAfterChange
