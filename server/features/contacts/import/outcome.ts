import type { AcknowledgedRow, ImportErrorCode } from '../../../../shared/api/contact-import.ts'
import { nameKey } from '../../../../shared/names.ts'
import type { Decision } from './decide.ts'
import type { ParsedRow } from './parsed-row.ts'

type Matching = Extract<Decision, { contact: unknown }>

type Acknowledgement = Pick<AcknowledgedRow, 'expectedAnnotation' | 'expectedContactId'>
type Identity = Pick<ParsedRow, 'email' | 'name'>
type Meant = Identity & Pick<ParsedRow, 'externalId'>

export type Outcome =
  | { do: 'refuse'; code: ImportErrorCode; error: string }
  | { do: 'create'; at: Extract<Decision, { annotation: 'create' }> }
  | { do: 'skip'; at: Matching }
  | { do: 'merge'; at: Matching }
  /** The contact gets the row's id of the other system, and of its cells what is still blank. */
  | { do: 'join'; at: Matching }

const refuse = (code: ImportErrorCode, error: string): Outcome => ({ do: 'refuse', code, error })

/**
 * What becomes of a row, given what it comes to now and what somebody has seen and agreed to. A contact is
 * `taken` when an earlier row of the file matched it: this row may add to it, but not change who it is. With an external id
 * of its own it is another record of the same person, so that the next import finds the person by either id.
 */
export function outcomeOf(
  decision: Decision,
  { row, wanted }: { row: Acknowledgement; wanted: Meant },
  mode: 'skip' | 'update',
  isTaken: (contactId: string) => boolean,
): Outcome {
  const { expectedAnnotation, expectedContactId } = row
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
  if (decision.annotation === 'link-match' && mode === 'skip') return { do: 'skip', at: decision }
  if (!isTaken(decision.contact.id)) return { do: 'merge', at: decision }
  if (wanted.externalId) return { do: 'join', at: decision }
  const other = otherThan(decision.contact, wanted)
  if (other) return refuse('row-conflict', `${other}: a row before it is the same contact, with another one`)
  return { do: 'merge', at: decision }
}

/** By which field a row would make somebody else of the contact. */
function otherThan(contact: Identity, { email, name }: Identity): keyof Identity | undefined {
  if (email && contact.email && email !== contact.email) return 'email'
  return name && contact.name && nameKey(name) !== nameKey(contact.name) ? 'name' : undefined
}
