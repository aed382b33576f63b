/** A failure whose message is already written for people. */
export class UserFacingError extends Error {
  override name = 'SpokenError'
}
