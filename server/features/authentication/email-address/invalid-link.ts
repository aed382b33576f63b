/** A mailed link does not work. The reason goes into the audit log only, not into the answer. */
export class InvalidLink extends Error {
  override name = 'InvalidLink'
  readonly reason: string
  readonly userId: string | null

  constructor(reason: string, userId: string | null = null) {
    super(reason)
    this.reason = reason
    this.userId = userId
  }
}
