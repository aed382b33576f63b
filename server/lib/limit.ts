/** How often something may be done within a window. */
export interface Limit {
  max: number
  windowSeconds: number
  /** Kept in the database: a restart must not hand an attacker fresh tries. */
  isDurable?: true
  /** The window begins with the first use and passes as a whole, instead of sliding; for durable ones. */
  isFixed?: true
}
