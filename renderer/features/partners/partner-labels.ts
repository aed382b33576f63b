import type { Partner } from '../../../shared/api/partners.ts'
import type { Tone } from '../../ui/status-dot.tsx'

export type PartnerStatusValue = Partner['status']

interface StatusTexts {
  word: string
  tone: Tone
  /** What the status means. */
  meaning: string
  /** Question that asks for confirmation. */
  question: (name: string) => string
  confirm: string
  /** What happens when it is set. */
  effect: string
}

export const statuses: Record<PartnerStatusValue, StatusTexts> = {
  active: {
    word: 'Active',
    tone: 'good',
    meaning: 'Its people can work, and its devices are managed.',
    question: (name) => `Make ${name} active?`,
    confirm: 'Make active',
    effect:
      'Its people can sign in and work, and disconnected agents may connect again. Sessions and enrollment keys that have ended stay ended. If the company was being closed, devices that still have their agent keep it.',
  },
  pending: {
    word: 'Pending',
    tone: 'busy',
    meaning: 'Its people can’t work yet. Nothing else is affected, and its devices keep reporting.',
    question: (name) => `Set ${name} to pending?`,
    confirm: 'Set to pending',
    effect: 'Its people see that the account isn’t active. Nobody is signed out, and its devices keep reporting.',
  },
  suspended: {
    word: 'Suspended',
    tone: 'warn',
    meaning: 'Its people can’t work, and its agents are disconnected.',
    question: (name) => `Suspend ${name}?`,
    confirm: 'Suspend',
    effect:
      'All its people are signed out, its enrollment keys expire, and its agents are disconnected until it’s active again.',
  },
  offboarding: {
    word: 'Closing',
    tone: 'warn',
    meaning: 'The agents are being removed from its devices. When that’s done or times out, the company is closed.',
    question: (name) => `Close ${name} and remove all its agents?`,
    confirm: 'Close company',
    effect:
      'The Homeport agent is removed from all the company’s devices, in all its organizations. Waiting commands are canceled, all its people are signed out, and its enrollment keys expire. Making the company active again stops what hasn’t happened yet; agents that are gone don’t come back.',
  },
  churned: {
    word: 'Closed',
    tone: 'idle',
    meaning: 'The company has left. Its people can’t work, and its agents are disconnected; its data stays.',
    question: (name) => `Close ${name} without uninstalling agents?`,
    confirm: 'Close now',
    effect:
      'All its people are signed out, its enrollment keys expire, and its agents are disconnected but not uninstalled. Choose “Closing” instead to have them uninstalled.',
  },
}

export const partnerStatuses = Object.keys(statuses) as PartnerStatusValue[]

export const planNames: Record<Partner['plan'], string> = {
  free: 'Free',
  starter: 'Starter',
  community: 'Community',
  pro: 'Pro',
  enterprise: 'Enterprise',
  unlimited: 'Unlimited',
}

export const typeNames: Record<Partner['type'], string> = {
  msp: 'Service provider',
  enterprise: 'Company with its own IT',
  internal: 'Internal',
}
