/** A failure whose message is already written for people. */
export class SpokenError extends Error {
  override name = 'SpokenError'
}
