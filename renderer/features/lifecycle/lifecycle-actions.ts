import type { Organization } from '../../../shared/api/organizations.ts'

type Status = Organization['status']

/** Actions on the lifecycle of an organization. */
export type LifecycleAction =
  | 'resume'
  | 'activate'
  | 'trial'
  | 'reopen'
  | 'suspend'
  | 'cancelClosing'
  | 'cancelArchiving'
  | 'close'
  | 'uninstall'
  | 'end'
  | 'archive'
  | 'restore'
  | 'merge'
  | 'remove'

/** Actions of the danger zone, the harmless first. The notice above the page offers the undo action. */
const offeredActions: Record<Status, LifecycleAction[]> = {
  active: ['trial', 'suspend', 'end', 'close', 'archive', 'merge', 'remove'],
  trial: ['activate', 'suspend', 'end', 'close', 'archive', 'merge', 'remove'],
  suspended: ['end', 'close', 'archive', 'merge', 'remove'],
  offboarding: ['end', 'remove'],
  churned: ['uninstall', 'remove'],
  merging: [],
  archived: [],
  purging: [],
}

/** The action that undoes a status, offered above the page. */
const undoActions: Partial<Record<Status, LifecycleAction>> = {
  suspended: 'resume',
  offboarding: 'cancelClosing',
  churned: 'reopen',
  archived: 'restore',
}

const ofPartner: ReadonlySet<LifecycleAction> = new Set(['close', 'uninstall', 'archive', 'restore', 'merge'])

/** Only users of the partner may do these, not platform administrators. */
export const isForPartnerOnly = (action: LifecycleAction): boolean => ofPartner.has(action)

interface Viewer {
  scope: 'system' | 'partner' | 'organization'
}

const isFor =
  ({ scope }: Viewer) =>
  (action: LifecycleAction) =>
    scope === 'partner' || !isForPartnerOnly(action)

/** `deviceCount` is undefined if unknown. */
export const actionsFor = (status: Status, viewer: Viewer, deviceCount?: number): LifecycleAction[] =>
  offeredActions[status].filter(isFor(viewer)).filter((action) => action !== 'uninstall' || deviceCount !== 0)

export function undoActionFor(
  { status, offboardingTarget }: Pick<Organization, 'status' | 'offboardingTarget'>,
  viewer: Viewer,
): LifecycleAction | undefined {
  const action = undoActions[status]
  if (!action || !isFor(viewer)(action)) return undefined
  return action === 'cancelClosing' && offboardingTarget === 'archive' ? 'cancelArchiving' : action
}

/** Whether actions are withheld from the user because they are not of the partner. */
export const hasWithheldActions = (status: Status, viewer: Viewer): boolean =>
  viewer.scope !== 'partner' &&
  [...offeredActions[status], undoActions[status]].some((action) => action && isForPartnerOnly(action))

const removesAgents: ReadonlySet<LifecycleAction> = new Set(['close', 'uninstall', 'end', 'archive'])

/** Whether the name has to be typed first, because undoing the action does not bring the agents back. */
export const needsTypedName = (action: LifecycleAction, deviceCount: number | undefined): boolean =>
  removesAgents.has(action) && deviceCount !== 0

/** The status that a change of status leads to. */
export const statusAfterChange = {
  resume: 'active',
  activate: 'active',
  trial: 'trial',
  reopen: 'active',
  cancelClosing: 'active',
  cancelArchiving: 'active',
  suspend: 'suspended',
  close: 'offboarding',
  /** For an organization that was ended at once, which left its agents installed. */
  uninstall: 'offboarding',
  end: 'churned',
} as const satisfies Partial<Record<LifecycleAction, Status>>

export type StatusChange = keyof typeof statusAfterChange
