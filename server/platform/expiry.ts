/** What to look for among things that expire; times in ISO 8601. */
export interface ExpiryWindow {
  from: string
  until: string
  /** Limits it to one organization. */
  orgId: string | undefined
  limit: number
}
