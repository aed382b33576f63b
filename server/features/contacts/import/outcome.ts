import type { AcknowledgedRow, ImportErrorCode } from '../../../../shared/api/contact-import.ts'
import type { Decision } from './decide.ts'

type Matching = Extract<Decision, { contact: unknown }>

export type Outcome =
  | { do: 'refuse'; code: ImportErrorCode; error: string }
  | { do: 'create'; at: Extract<Decision, { annotation: 'create' }> }
  | { do: 'skip'; at: Matching }
  | { do: 'merge'; at: Matching }

const refuse = (code: ImportErrorCode, error: string): Outcome => ({ do: 'refuse', code, error })

/** What becomes of a row, given what it comes to now and what somebody has seen and agreed to (reference §11.3). */
export function outcomeOf(
  decision: Decision,
  { expectedAnnotation, expectedContactId }: Pick<AcknowledgedRow, 'expectedAnnotation' | 'expectedContactId'>,
  mode: 'skip' | 'update',
): Outcome {
  if (decision.annotation === 'conflict') return refuse('row-conflict', decision.reason)
  if (decision.annotation === 'org-not-found') return refuse('org-not-found', decision.reason)
  if (expectedAnnotation && expectedAnnotation !== decision.annotation)
    return refuse('annotation-changed', `The row is now ${decision.annotation}, no longer ${expectedAnnotation}`)
  const contactId = 'contact' in decision ? decision.contact.id : null
  if (expectedContactId && expectedContactId !== contactId)
    return refuse('match-changed', 'The row no longer matches the contact it was matched with')
  if (decision.annotation === 'create') return { do: 'create', at: decision }
  if (decision.annotation !== 'link-match' && !expectedAnnotation)
    return refuse('match-unconfirmed', 'The row matches a contact that is already there; confirm it')
  return { do: decision.annotation === 'link-match' && mode === 'skip' ? 'skip' : 'merge', at: decision }
}
