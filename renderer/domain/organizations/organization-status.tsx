import type { Organization } from '../../../shared/api/organizations.ts'
import { dateOnly } from '../../lib/format.ts'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'

type Status = Organization['status']
type StatusDetails = Pick<Organization, 'status' | 'offboardingTarget' | 'purgeAt'>

const states: Record<Status, { word: string; tone: Tone }> = {
  active: { word: 'Active', tone: 'good' },
  trial: { word: 'Trial', tone: 'busy' },
  suspended: { word: 'Suspended', tone: 'warn' },
  churned: { word: 'Ended', tone: 'idle' },
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
      return 'Works like an active organization, until you make it active or end it.'
    case 'suspended':
      return 'Devices still report, but nothing can be changed or run on them, and its own people can not sign in.'
    case 'churned':
      return 'It has ended: none of its devices reports any more, its enrollment keys have expired, and its own people can not sign in.'
    case 'offboarding':
      return `The agents are being removed from its devices. When that is done, it ${offboardingTarget === 'archive' ? 'is archived' : 'ends'}.`
    case 'merging':
      return 'It is being merged into another organization. Nothing can be changed until that is done.'
    case 'archived':
      return purgeAt
        ? `It is put away: nothing can be changed, and it is deleted for good on ${dateOnly(purgeAt)}.`
        : 'It is put away: nothing can be changed until somebody restores it.'
    case 'purging':
      return 'It is being deleted for good.'
  }
}
