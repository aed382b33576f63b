/** A storage was asked and cannot be used as it is; the message says why. */
export class Unusable extends Error {
  override name = 'Unusable'
}

/** The same where the message is that of a program. */
export class Unclear extends Unusable {
  override name = 'Unclear'
}

/** The appliance itself cannot ask this storage. */
export class NotAsked extends Error {
  override name = 'NotAsked'
}

export const isRefusal = (error: unknown): error is Unusable => error instanceof Unusable

export const redirected = (status: number): Unusable =>
  new Unusable(`The address leads elsewhere (${status}); give the one it leads to`)

export const notAdmitted = 'The storage does not take these credentials'
