import type { TableName } from '../../db/database.ts'
import { mergePolicies } from './policies.ts'
import { collides, ofLoser, type Step } from './policy.ts'

const repointed = (table: TableName, set: Record<string, string> = {}): Step => ({
  outcome: 'moved',
  run: (journal, most) => journal.change(table, { org_id: '+@survivor', ...set }, ofLoser, most),
})

/** What has to be done with the rows of a table, in this order; nothing where they stay. */
export function stepsOf(table: TableName): Step[] {
  const policy = mergePolicies[table]
  switch (policy.policy) {
    case 'repoint':
      return [repointed(table, Object.fromEntries((policy.alsoKept ?? []).map((column) => [column, column])))]
    case 'dedupe': {
      const drops = collides(table, policy.same)
      return [{ outcome: 'dropped', run: (journal, most) => journal.drop(table, drops, most) }, repointed(table)]
    }
    case 'custom':
      return [...(policy.prepare ? [policy.prepare] : []), repointed(table, policy.set)]
    default:
      return []
  }
}

/** Condition of the rows that do not go over; null where all of them do. */
export function dropsOf(table: TableName): string | null {
  const policy = mergePolicies[table]
  if (policy.policy === 'dedupe') return collides(table, policy.same)
  return policy.policy === 'custom' ? (policy.drops ?? null) : null
}

/** In the order in which they move. */
export const tablesThatMove = (Object.keys(mergePolicies) as TableName[]).filter((table) => stepsOf(table).length > 0)
