import type { ErasureView } from '../../../shared/api/lifecycle.ts'
import { count, plural } from '../../lib/format.ts'
import type { LifecycleAction } from './lifecycle-actions.ts'

interface ActionTexts {
  /** Label of the row and, with the organization's name, title of the dialog. */
  title: string
  about: string
  /** Label of the confirming button. */
  confirm: string
  isGrave?: true
}

export const actionLabels: Record<LifecycleAction, ActionTexts> = {
  resume: {
    title: 'Resume',
    about: 'Its devices can be managed again, and its people can sign in.',
    confirm: 'Resume',
  },
  activate: { title: 'Make active', about: 'Ends the trial. Nothing else changes.', confirm: 'Make active' },
  trial: {
    title: 'Put on trial',
    about: 'Everything goes on as before; the list shows that it is a trial.',
    confirm: 'Put on trial',
  },
  reopen: {
    title: 'Reopen',
    about: 'Agents that are still installed report again, and its people can sign in.',
    confirm: 'Reopen',
  },
  suspend: {
    title: 'Suspend',
    about: 'Devices go on reporting, but nothing can be changed or run on them, and its people can not sign in.',
    confirm: 'Suspend',
  },
  callOff: {
    title: 'Call it off',
    about: 'The organization becomes active again. Agents that are gone already do not come back.',
    confirm: 'Call it off',
  },
  close: {
    title: 'Close',
    about: 'Removes the agents from its devices, then ends it. Can be called off until then.',
    confirm: 'Close it',
    isGrave: true,
  },
  uninstall: {
    title: 'Remove the agents',
    about: 'Asks the agents that were left installed to uninstall themselves. It stays ended.',
    confirm: 'Remove them',
    isGrave: true,
  },
  end: {
    title: 'End at once',
    about: 'Cuts its agents off and leaves them installed on the devices. Can be reopened.',
    confirm: 'End it now',
    isGrave: true,
  },
  archive: {
    title: 'Archive',
    about: 'Removes the agents and puts everything away, until it is restored or deleted for good.',
    confirm: 'Archive',
    isGrave: true,
  },
  restore: {
    title: 'Restore',
    about: 'Brings the organization back with everything in it.',
    confirm: 'Restore',
  },
  merge: {
    title: 'Merge',
    about: 'Moves everything into another organization of your company. This one is gone afterwards.',
    confirm: 'Merge for good',
    isGrave: true,
  },
  remove: {
    title: 'Delete',
    about: 'Cuts its agents off and takes it off every list. What it has stays on record.',
    confirm: 'Delete',
    isGrave: true,
  },
}

/** Differences that people confuse; docs/user-guide.md uses the same words, which a test verifies. */
export const differences: [action: string, does: string][] = [
  [
    'Close',
    'removes the agents from its devices and then ends it: everything can still be looked at, and it can be reopened.',
  ],
  ['End at once', 'does the same, but leaves the agents installed.'],
  [
    'Archive',
    'removes the agents and puts it away: nobody gets at it until it is restored. After the days you choose it is deleted for good: everything in it is gone, its audit log included.',
  ],
  [
    'Delete',
    'takes it off every list at once and leaves the agents installed: what it has stays on record, but nobody gets it back.',
  ],
]

const questions: Record<LifecycleAction, (name: string) => string> = {
  resume: (name) => `Resume ${name}?`,
  activate: (name) => `Make ${name} active?`,
  trial: (name) => `Put ${name} on trial?`,
  reopen: (name) => `Reopen ${name}?`,
  suspend: (name) => `Suspend ${name}?`,
  callOff: (name) => `Keep ${name} after all?`,
  close: (name) => `Close ${name}?`,
  uninstall: (name) => `Remove the agents of ${name}?`,
  end: (name) => `End ${name} at once?`,
  archive: (name) => `Archive ${name}?`,
  restore: (name) => `Restore ${name}?`,
  merge: (name) => `Merge ${name} into another organization`,
  remove: (name) => `Delete ${name}?`,
}

/** Title of the confirmation dialog. */
export const confirmationTitle = (action: LifecycleAction, name: string): string => questions[action](name)

/** A count is undefined if the user may not see it. */
export interface AffectedCounts {
  devices: number | undefined
  people: number | undefined
  keys: number | undefined
}

/** What an action does to devices, people and keys, one sentence each. */
export function consequencesOf(action: LifecycleAction, counts: AffectedCounts): string[] {
  switch (action) {
    case 'suspend':
      return [
        ...deviceLine(counts, 'goes on reporting, but can not be managed', 'go on reporting, but can not be managed'),
        ...outLine(counts),
      ]
    case 'close':
      return [
        ...agentLine(counts, 'uninstalls itself', 'uninstall themselves'),
        ...outLine(counts),
        ...keyLine(counts),
        'It ends when the agents are gone, or else when time is up: as a rule 72 hours from now.',
        'Until then it can be called off.',
      ]
    case 'uninstall':
      return [
        ...agentLine(counts, 'is asked to uninstall itself', 'are asked to uninstall themselves'),
        'Until they have, or time is up after 72 hours as a rule, it is shown as closing; then it is ended as it is now.',
      ]
    case 'archive':
      return [
        ...agentLine(counts, 'uninstalls itself', 'uninstall themselves'),
        ...outLine(counts),
        ...keyLine(counts),
        'Then it is shut away with all it has: nobody gets at it until it is restored.',
      ]
    case 'end':
      return [
        ...agentLine(counts, 'is cut off, and stays installed', 'are cut off, and stay installed'),
        ...outLine(counts),
        ...keyLine(counts),
      ]
    case 'remove':
      return [
        ...agentLine(counts, 'is cut off, and stays installed', 'are cut off, and stay installed'),
        ...outLine(counts),
        ...keyLine(counts),
        'Its sites, contacts and devices stay on record, but nobody gets at them.',
        'Its short name stays taken.',
        'This can not be undone.',
      ]
    case 'reopen':
      return [
        ...deviceLine(
          counts,
          'reports again, if its agent is still installed',
          'report again, where the agent is still installed',
        ),
        'Enrollment keys that have expired stay expired, and its people sign in again.',
      ]
    case 'callOff':
      return [
        'Agents that are still there stay. Devices whose agent is gone have to be enrolled again.',
        'Enrollment keys that have expired stay expired, and its people sign in again.',
      ]
    default:
      return []
  }
}

const agentLine = ({ devices }: AffectedCounts, does: string, doThis: string): string[] => {
  if (devices === undefined) return [`All its agents ${doThis}.`]
  return devices === 0 ? ['It has no devices.'] : [`${plural(devices, 'agent')} ${devices === 1 ? does : doThis}.`]
}

const deviceLine = ({ devices }: AffectedCounts, does: string, doThis: string): string[] => {
  if (devices === undefined) return [`Its devices ${doThis}.`]
  return devices === 0 ? [] : [`${plural(devices, 'device')} ${devices === 1 ? does : doThis}.`]
}

const outLine = ({ people }: AffectedCounts): string[] => {
  if (people === undefined) return ['The people of the organization are signed out and can not sign in.']
  if (people === 0) return []
  return [
    `${plural(people, 'person', 'people')} of the organization ${people === 1 ? 'is' : 'are'} signed out and can not sign in.`,
  ]
}

const keyLine = ({ keys }: AffectedCounts): string[] => {
  if (keys === undefined) return ['Its enrollment keys expire.']
  return keys === 0 ? [] : [`${plural(keys, 'enrollment key')} ${keys === 1 ? 'expires' : 'expire'}.`]
}

/** Progress of an unfinished deletion. */
export function erasureProgressText({ state, done, total }: Pick<ErasureView, 'state' | 'done' | 'total'>): string {
  if (state === 'waiting') return 'Waiting for its turn'
  if (state === 'failed') return 'It stopped half-way. Homeport tries again by itself; its log tells why.'
  return total === null ? 'Counting what there is' : `${count(done)} of ${plural(total, 'record')} deleted`
}
