/** A condition in SQL and what its question marks stand for; each behind a plus, as the query compiler writes them. */
export interface Condition {
  sql: string
  parameters: readonly unknown[]
}

export const allOf = (conditions: readonly Condition[]): Condition => ({
  sql: conditions.map(({ sql }) => sql).join(' AND '),
  parameters: conditions.flatMap(({ parameters }) => parameters),
})

export const isAmong = (seqs: readonly number[]): Condition => ({
  sql: 'devices.seq IN (SELECT value FROM json_each(?))',
  parameters: [JSON.stringify(seqs)],
})
