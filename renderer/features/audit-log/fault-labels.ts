import type { AuditFault } from '../../../shared/api/audit-log.ts'
import { count, plural } from '../../lib/format.ts'

export const brokenChainsText = ({ broken, chains }: { broken: number; chains: number }): string =>
  `${count(broken)} of ${plural(chains, 'chain')} of events ${broken === 1 ? 'is' : 'are'} broken.`

/** What is wrong with one event. */
export const eventFaultTexts = {
  changed: 'This event is not as it was written down.',
  added: 'Homeport did not write this event.',
} as const satisfies Partial<Record<AuditFault, string>>

/** What is wrong with a chain of events. */
export const faultTexts: Record<AuditFault, string> = {
  changed: 'An event is not as it was written down.',
  missing: 'At least one event is gone.',
  added: 'There is an event that Homeport did not write.',
  seal: 'The record of where the chain begins and ends was not made by this Homeport.',
}
