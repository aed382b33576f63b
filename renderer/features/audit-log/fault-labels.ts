import type { AuditFault } from '../../../shared/api/audit-log.ts'
import { count, plural } from '../../lib/format.ts'

export const brokenChainsText = ({ broken, chains }: { broken: number; chains: number }): string =>
  `${count(broken)} of ${plural(chains, 'chain')} of events ${broken === 1 ? 'is' : 'are'} broken.`

/** What is wrong with one event. */
export const eventFaultTexts = {
  changed: 'This event was changed after it was written.',
  added: 'This event wasn’t written by Homeport.',
} as const satisfies Partial<Record<AuditFault, string>>

/** What is wrong with a chain of events. */
export const faultTexts: Record<AuditFault, string> = {
  changed: 'An event was changed after it was written.',
  missing: 'At least one event is missing.',
  added: 'There is an event that Homeport didn’t write.',
  seal: 'The record of where the chain begins and ends wasn’t made by this appliance.',
}
