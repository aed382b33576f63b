import { rulesOf, type TableName, tableNames } from '../../tables.ts'
import { customMerges } from './custom.ts'
import { collides, ofLoser, type Step } from './policy.ts'

const repointed = (table: TableName, set: Record<string, string> = {}): Step => ({
  outcome: 'moved',
  run: (journal, maxRows) => journal.change(table, { org_id: '+@survivor', ...set }, ofLoser, maxRows),
})

/** What has to be done with the rows of a table, in this order; nothing where they stay. */
export function stepsOf(table: TableName): Step[] {
  const policy = rulesOf(table).merge
  switch (policy.policy) {
    case 'repoint':
      return [repointed(table, Object.fromEntries((policy.alsoKept ?? []).map((column) => [column, column])))]
    case 'dedupe': {
      const drops = collides(table, policy.same)
      return [{ outcome: 'dropped', run: (journal, maxRows) => journal.drop(table, drops, maxRows) }, repointed(table)]
    }
    case 'custom': {
      const custom = customMerges[table]
      return [...(custom?.prepare ? [custom.prepare] : []), repointed(table, custom?.set)]
    }
    default:
      return []
  }
}

/** Condition of the rows that do not go over; null where all of them do. */
export function dropsOf(table: TableName): string | null {
  const policy = rulesOf(table).merge
  if (policy.policy === 'dedupe') return collides(table, policy.same)
  return customMerges[table]?.drops ?? null
}

/** In the order in which they move. */
export const tablesThatMove = tableNames.filter((table) => stepsOf(table).length > 0)
