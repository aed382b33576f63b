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

/** docs/user-guide.md uses the same words for what people confuse, which a test verifies. */
export const actionLabels: Record<LifecycleAction, ActionTexts> = {
  resume: {
    title: 'Resume',
    about: 'Its devices can be managed again, and its people can sign in.',
    confirm: 'Resume',
  },
  activate: { title: 'Make active', about: 'Ends the trial. Nothing else changes.', confirm: 'Make active' },
  trial: {
    title: 'Mark as trial',
    about: 'Everything continues as before; the list shows the organization as a trial.',
    confirm: 'Mark as trial',
  },
  reopen: {
    title: 'Reopen',
    about: 'Agents that are still installed report again, and its people can sign in.',
    confirm: 'Reopen',
  },
  suspend: {
    title: 'Suspend',
    about: 'Devices keep reporting, but can’t be changed or run anything, and its people can’t sign in.',
    confirm: 'Suspend',
    isGrave: true,
  },
  cancelClosing: {
    title: 'Cancel closing',
    about: 'The organization becomes active again. Agents that are already removed don’t come back.',
    confirm: 'Cancel closing',
  },
  cancelArchiving: {
    title: 'Cancel archiving',
    about: 'The organization becomes active again. Agents that are already removed don’t come back.',
    confirm: 'Cancel archiving',
  },
  close: {
    title: 'Close',
    about:
      'Removes the agents from the devices, then closes the organization. Everything stays readable, and it can be reopened.',
    confirm: 'Close organization',
    isGrave: true,
  },
  uninstall: {
    title: 'Remove agents',
    about: 'Asks the agents that were left installed to uninstall themselves. The organization stays closed.',
    confirm: 'Remove agents',
    isGrave: true,
  },
  end: {
    title: 'Close without uninstalling agents',
    about: 'Closes the organization immediately and leaves the agents installed. It can be reopened.',
    confirm: 'Close now',
    isGrave: true,
  },
  archive: {
    title: 'Archive',
    about:
      'Removes the agents and makes the organization inaccessible until it’s restored. You can have it deleted permanently after some days.',
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
    about: 'Moves everything into another organization of your company and then deletes this one.',
    confirm: 'Merge permanently',
    isGrave: true,
  },
  remove: {
    title: 'Delete',
    about:
      'Removes the organization from every list and leaves the agents installed. Its data stays on record, but it can’t be restored.',
    confirm: 'Delete',
    isGrave: true,
  },
}

const questions: Record<LifecycleAction, (name: string) => string> = {
  resume: (name) => `Resume ${name}?`,
  activate: (name) => `Make ${name} active?`,
  trial: (name) => `Mark ${name} as a trial?`,
  reopen: (name) => `Reopen ${name}?`,
  suspend: (name) => `Suspend ${name}?`,
  cancelClosing: (name) => `Cancel closing ${name}?`,
  cancelArchiving: (name) => `Cancel archiving ${name}?`,
  close: (name) => `Close ${name}?`,
  uninstall: (name) => `Remove the agents of ${name}?`,
  end: (name) => `Close ${name} without uninstalling agents?`,
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
        ...deviceLine(counts, 'keeps reporting, but can’t be managed', 'keep reporting, but can’t be managed'),
        ...(counts.people === 0 ? ['It has no people of its own who could sign in.'] : outLine(counts)),
        'People of the company can still view it, and resume it at any time.',
      ]
    case 'close':
      return [
        ...agentLine(counts, 'uninstalls itself', 'uninstall themselves'),
        ...outLine(counts),
        ...keyLine(counts),
        'The organization is closed once the agents are gone, or after 72 hours by default.',
        'Until then you can cancel.',
      ]
    case 'uninstall':
      return [
        ...agentLine(counts, 'is asked to uninstall itself', 'are asked to uninstall themselves'),
        'The organization shows as closing until they have, or for 72 hours by default; then it’s closed again.',
      ]
    case 'archive':
      return [
        ...agentLine(counts, 'uninstalls itself', 'uninstall themselves'),
        ...outLine(counts),
        ...keyLine(counts),
        'The organization and its data become inaccessible until restored.',
      ]
    case 'end':
      return [
        ...agentLine(counts, 'is disconnected but stays installed', 'are disconnected but stay installed'),
        ...outLine(counts),
        ...keyLine(counts),
      ]
    case 'remove':
      return [
        ...agentLine(counts, 'is disconnected but stays installed', 'are disconnected but stay installed'),
        ...outLine(counts),
        ...keyLine(counts),
        'Its sites, contacts and devices stay on record but are no longer accessible.',
        'Its short name stays reserved.',
        'This can’t be undone.',
      ]
    case 'reopen':
      return [
        ...deviceLine(
          counts,
          'reports again if its agent is still installed',
          'report again if their agents are still installed',
        ),
        'Enrollment keys that have expired stay expired. Its people have to sign in again.',
      ]
    case 'cancelClosing':
    case 'cancelArchiving':
      return [
        'Agents that are still installed stay. Devices without an agent have to be enrolled again.',
        'Enrollment keys that have expired stay expired. Its people have to sign in again.',
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
  if (people === undefined) return ['The organization’s people are signed out and can’t sign in.']
  if (people === 0) return []
  return [
    `${plural(people, 'person', 'people')} of the organization ${people === 1 ? 'is' : 'are'} signed out and can’t sign in.`,
  ]
}

const keyLine = ({ keys }: AffectedCounts): string[] => {
  if (keys === undefined) return ['Its enrollment keys expire.']
  return keys === 0 ? [] : [`${plural(keys, 'enrollment key')} ${keys === 1 ? 'expires' : 'expire'}.`]
}

/** Progress of an unfinished deletion. */
export function erasureProgressText({ state, done, total }: Pick<ErasureView, 'state' | 'done' | 'total'>): string {
  if (state === 'waiting') return 'Queued'
  if (state === 'failed') return 'Stopped halfway. Homeport will retry automatically; see its log for the reason.'
  return total === null ? 'Counting records' : `${count(done)} of ${plural(total, 'record')} deleted`
}
