/** A condition in SQL and what its question marks stand for; each behind a plus, as the query compiler writes them. */
export interface Condition {
  sql: string
  parameters: readonly unknown[]
}
