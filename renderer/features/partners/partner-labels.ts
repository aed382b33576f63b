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
    confirm: 'Make it active',
    effect:
      'Its people can sign in and work, and agents that were shut out with it may connect again. Sessions and enrollment keys that have ended stay ended. If it was being closed, devices that still have their agent keep it.',
  },
  pending: {
    word: 'Waiting',
    tone: 'busy',
    meaning: 'Its people can not work yet. Nothing else is touched, and its devices go on reporting.',
    question: (name) => `Let ${name} wait?`,
    confirm: 'Let it wait',
    effect: 'Its people see that the account is not active. Nobody is signed out, and its devices go on reporting.',
  },
  suspended: {
    word: 'Suspended',
    tone: 'warn',
    meaning: 'Nobody of it can work, and its agents are shut out.',
    question: (name) => `Suspend ${name}?`,
    confirm: 'Suspend it',
    effect:
      'Everybody of it is signed out, its enrollment keys end, and the agents on its devices are shut out until it is active again.',
  },
  offboarding: {
    word: 'Closing',
    tone: 'warn',
    meaning: 'The agent is being removed from its devices. When that is done, or takes too long, the company ends.',
    question: (name) => `Close ${name} and remove all its agents?`,
    confirm: 'Close it',
    effect:
      'The Homeport agent is removed from every device of the company, in all its organizations. Commands that wait are cancelled, everybody of it is signed out, and its enrollment keys end. Making it active again stops what has not happened by then; an agent that is gone does not come back by itself.',
  },
  churned: {
    word: 'Ended',
    tone: 'idle',
    meaning: 'It has left. Nobody of it can work, and its agents are shut out; what is kept of it stays.',
    question: (name) => `End ${name}?`,
    confirm: 'End it',
    effect:
      'Everybody of it is signed out, its enrollment keys end, and the agents on its devices are shut out, but not removed. Close the company instead to have them removed.',
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
  internal: 'Our own',
}
