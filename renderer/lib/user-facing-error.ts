/** An error whose message is written for users. */
export class UserFacingError extends Error {
  override name = 'SpokenError'
}
