/** A link of a mail does not work; the reason is for the audit log. */
export class DeadLink extends Error {
  override name = 'DeadLink'
  readonly reason: string
  readonly userId: string | null

  constructor(reason: string, userId: string | null = null) {
    super(reason)
    this.reason = reason
    this.userId = userId
  }
}
