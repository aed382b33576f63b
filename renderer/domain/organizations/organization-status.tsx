import type { Organization } from '../../../shared/api/organizations.ts'
import { dateOnly } from '../../lib/format.ts'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'

type Status = Organization['status']
type StatusDetails = Pick<Organization, 'status' | 'offboardingTarget' | 'purgeAt'>

const states: Record<Status, { word: string; tone: Tone }> = {
  active: { word: 'Active', tone: 'good' },
  trial: { word: 'Trial', tone: 'busy' },
  suspended: { word: 'Suspended', tone: 'warn' },
  churned: { word: 'Closed', tone: 'idle' },
  offboarding: { word: 'Closing', tone: 'warn' },
  merging: { word: 'Merging', tone: 'busy' },
  archived: { word: 'Archived', tone: 'idle' },
  purging: { word: 'Being deleted', tone: 'bad' },
}

export function OrganizationStatus({ status }: { status: Status }) {
  const { word, tone } = states[status]
  return <StatusDot tone={tone}>{word}</StatusDot>
}

/** What people and devices can do in this status, in a sentence or two. */
export function statusMeaning({ status, offboardingTarget, purgeAt }: StatusDetails): string {
  switch (status) {
    case 'active':
      return 'Devices report and can be managed.'
    case 'trial':
      return 'Works like an active organization until you make it active or close it.'
    case 'suspended':
      return 'Devices still report, but can’t be changed or run anything, and the organization’s own people can’t sign in.'
    case 'churned':
      return 'Closed: devices no longer report, enrollment keys have expired, and the organization’s own people can’t sign in.'
    case 'offboarding':
      return `The agents are being removed from the devices. After that, the organization ${offboardingTarget === 'archive' ? 'is archived' : 'is closed'}.`
    case 'merging':
      return 'This organization is being merged into another one. Nothing can be changed until the merge is finished.'
    case 'archived':
      return purgeAt
        ? `Archived and read-only. Permanent deletion on ${dateOnly(purgeAt)}.`
        : 'Archived and read-only until restored.'
    case 'purging':
      return 'This organization is being deleted permanently.'
  }
}
